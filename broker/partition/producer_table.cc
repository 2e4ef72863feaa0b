#include "broker/partition/producer_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "broker/partition/partition_errc.h"
#include "protocol/base/limits.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"

namespace braid::broker {
namespace {

using protocol::ProducerId;
using protocol::WallTime;
using storage::LogPosition;
using storage::Offset;

constexpr std::int8_t kFormat = 1;
constexpr std::size_t kFormatBytes = 1 + 4;
constexpr std::size_t kProducerBytes = 8 + 2 + 8 + 1;
constexpr std::size_t kBatchBytes = 4 + 4 + 8 + 4 + 8;

std::int32_t sequence_after(std::int32_t sequence) {
  return sequence == std::numeric_limits<std::int32_t>::max() ? 0 : sequence + 1;
}

}  // namespace

std::optional<ProducerBatch> ProducerBatch::of(const protocol::RecordBatch& batch) {
  if (!batch.has_producer_id()) return std::nullopt;
  return ProducerBatch{.producer = ProducerId{batch.producer_id()},
                       .epoch = batch.producer_epoch(),
                       .first_sequence = batch.base_sequence(),
                       .last_sequence = batch.last_sequence(),
                       .last_offset_delta = batch.last_offset_delta(),
                       .timestamp_max = batch.max_timestamp()};
}

void ProducerTable::Producer::remember(const RememberedBatch& batch) {
  if (batch_count == kBatchesKept) {
    std::ranges::move(batches.begin() + 1, batches.end(), batches.begin());
    --batch_count;
  }
  batches[batch_count++] = batch;
}

protocol::Result<std::optional<RememberedBatch>> ProducerTable::judge(const ProducerBatch& batch) const {
  const auto found = producers_.find(batch.producer.value);
  if (found == producers_.end()) return std::optional<RememberedBatch>{};
  const Producer& known = found->second;
  if (batch.epoch == known.epoch) {
    for (std::size_t i = 0; i < known.batch_count; ++i) {
      const RememberedBatch& stored = known.batches[i];
      if (stored.first_sequence == batch.first_sequence && stored.last_sequence == batch.last_sequence)
        return std::optional(stored);
    }
  }
  if (batch.epoch < known.epoch) return make_error_code(PartitionErrc::old_producer_epoch);
  const bool begins_epoch = batch.epoch > known.epoch || known.batch_count == 0;
  const std::int32_t expected = begins_epoch ? 0 : sequence_after(known.newest().last_sequence);
  if (batch.first_sequence != expected) return make_error_code(PartitionErrc::out_of_order_sequence);
  return std::optional<RememberedBatch>{};
}

void ProducerTable::stored(const ProducerBatch& batch, Offset base, LogPosition end_position, WallTime now) {
  Producer& producer = touch(batch.producer, now);
  if (producer.epoch != batch.epoch) producer.batch_count = 0;
  producer.epoch = batch.epoch;
  producer.remember(
      {batch.first_sequence, batch.last_sequence, base, batch.last_offset_delta, batch.timestamp_max, end_position});
}

ProducerTable::Producer& ProducerTable::touch(ProducerId id, WallTime now) {
  const auto [place, is_new] = producers_.try_emplace(id.value);
  Producer& producer = place->second;
  if (is_new) {
    producer.age = by_age_.insert(by_age_.end(), id);
  } else {
    by_age_.splice(by_age_.end(), by_age_, producer.age);
  }
  producer.written_at_ms = now.milliseconds;
  if (producers_.size() <= protocol::kProducersPerPartitionMax) return producer;
  forget(by_age_.front());
  return producers_.find(id.value)->second;
}

void ProducerTable::forget(ProducerId id) {
  const auto found = producers_.find(id.value);
  by_age_.erase(found->second.age);
  producers_.erase(found);
}

void ProducerTable::expire(WallTime before) {
  while (!by_age_.empty() && producers_.find(by_age_.front().value)->second.written_at_ms < before.milliseconds)
    forget(by_age_.front());
}

void ProducerTable::cut(Offset end) {
  std::vector<ProducerId> gone;
  for (auto& [id, producer] : producers_) {
    while (producer.batch_count > 0 && producer.newest().base >= end) --producer.batch_count;
    if (producer.batch_count == 0) gone.push_back(ProducerId{id});
  }
  for (const ProducerId id : gone) forget(id);
}

void ProducerTable::clear() {
  producers_.clear();
  by_age_.clear();
}

std::vector<ProducerTable::Listed> ProducerTable::list() const {
  std::vector<Listed> listed;
  listed.reserve(producers_.size());
  for (const auto& [id, producer] : producers_) {
    const bool wrote = producer.batch_count > 0;
    listed.push_back({ProducerId{id}, producer.epoch, wrote ? producer.newest().last_sequence : protocol::kNoSequence,
                      wrote ? producer.newest().timestamp_max : protocol::kNoTimestamp});
  }
  std::ranges::sort(listed, {}, &Listed::producer);
  return listed;
}

protocol::Bytes ProducerTable::encode() const {
  std::size_t bytes = kFormatBytes;
  for (const auto& [id, producer] : producers_) bytes += kProducerBytes + producer.batch_count * kBatchBytes;
  protocol::Bytes encoded(bytes);
  protocol::Writer out(encoded);
  out.i8(kFormat);
  out.u32(static_cast<std::uint32_t>(producers_.size()));
  for (const ProducerId id : by_age_) {
    const Producer& producer = producers_.find(id.value)->second;
    out.i64(id.value);
    out.i16(producer.epoch);
    out.i64(producer.written_at_ms);
    out.u8(producer.batch_count);
    for (std::size_t i = 0; i < producer.batch_count; ++i) {
      const RememberedBatch& batch = producer.batches[i];
      out.i32(batch.first_sequence);
      out.i32(batch.last_sequence);
      out.i64(batch.base.value);
      out.i32(batch.last_offset_delta);
      out.i64(batch.timestamp_max);
    }
  }
  return encoded;
}

bool ProducerTable::decode(protocol::ByteView bytes) {
  clear();
  protocol::Reader in(bytes);
  const bool known_format = in.i8() == kFormat;
  const std::uint32_t count = in.u32();
  if (!known_format || count > in.remaining() / kProducerBytes) return bytes.empty();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const ProducerId id{in.i64()};
    const std::int16_t epoch = in.i16();
    Producer& producer = touch(id, {in.i64()});
    producer.epoch = epoch;
    const std::uint8_t batch_count = in.u8();
    if (batch_count > kBatchesKept) in.fail();
    for (std::size_t b = 0; b < batch_count && in.ok(); ++b) {
      RememberedBatch batch;
      batch.first_sequence = in.i32();
      batch.last_sequence = in.i32();
      batch.base = Offset{in.i64()};
      batch.last_offset_delta = in.i32();
      batch.timestamp_max = in.i64();
      producer.remember(batch);
    }
  }
  if (in.ok() && in.remaining() == 0) return true;
  clear();
  return false;
}

}  // namespace braid::broker
