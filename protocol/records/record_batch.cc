#include "protocol/records/record_batch.h"

#include "protocol/base/check.h"
#include "protocol/base/crc32c.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

Reader at(ByteView bytes, std::size_t field) { return Reader(bytes.subspan(field)); }
Writer at(MutableBytes bytes, std::size_t field) { return Writer(bytes.subspan(field)); }

void set_timestamps(MutableBytes batch, std::int16_t attributes, std::int64_t max_timestamp) {
  at(batch, batch_layout::kAttributes).i16(attributes);
  at(batch, batch_layout::kMaxTimestamp).i64(max_timestamp);
  renew_crc(batch);
}

}  // namespace

RecordBatch::RecordBatch(ByteView bytes) : bytes_(bytes) {
  check(bytes.size() >= kBatchHeaderBytes, "a batch has a whole header");
}

std::int64_t RecordBatch::base_offset() const { return at(bytes_, batch_layout::kBaseOffset).i64(); }
std::int32_t RecordBatch::batch_length() const { return at(bytes_, batch_layout::kBatchLength).i32(); }
std::int32_t RecordBatch::partition_leader_epoch() const {
  return at(bytes_, batch_layout::kPartitionLeaderEpoch).i32();
}
std::int8_t RecordBatch::magic() const { return at(bytes_, batch_layout::kMagic).i8(); }
std::uint32_t RecordBatch::crc() const { return at(bytes_, batch_layout::kCrc).u32(); }
std::int16_t RecordBatch::attributes() const { return at(bytes_, batch_layout::kAttributes).i16(); }
std::int32_t RecordBatch::last_offset_delta() const { return at(bytes_, batch_layout::kLastOffsetDelta).i32(); }
std::int64_t RecordBatch::base_timestamp() const { return at(bytes_, batch_layout::kBaseTimestamp).i64(); }
std::int64_t RecordBatch::max_timestamp() const { return at(bytes_, batch_layout::kMaxTimestamp).i64(); }
std::int64_t RecordBatch::producer_id() const { return at(bytes_, batch_layout::kProducerId).i64(); }
std::int16_t RecordBatch::producer_epoch() const { return at(bytes_, batch_layout::kProducerEpoch).i16(); }
std::int32_t RecordBatch::base_sequence() const { return at(bytes_, batch_layout::kBaseSequence).i32(); }
std::int32_t RecordBatch::record_count() const { return at(bytes_, batch_layout::kRecordCount).i32(); }

std::int32_t RecordBatch::last_sequence() const {
  const std::int32_t first = base_sequence();
  if (first == kNoSequence) return kNoSequence;
  // Sequences are counted modulo 2^31.
  const std::uint32_t last = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(last_offset_delta());
  return static_cast<std::int32_t>(last & 0x7fff'ffffU);
}

Codec RecordBatch::codec() const {
  check(codec_bits() <= kCodecLast, "the codec exists");
  return static_cast<Codec>(codec_bits());
}

std::uint32_t RecordBatch::computed_crc() const { return crc32c(bytes_.subspan(batch_layout::kAttributes)); }

void stamp(MutableBytes batch, std::int64_t base_offset, std::int32_t partition_leader_epoch) {
  at(batch, batch_layout::kBaseOffset).i64(base_offset);
  at(batch, batch_layout::kPartitionLeaderEpoch).i32(partition_leader_epoch);
}

void set_create_time(MutableBytes batch, std::int64_t max_timestamp) {
  const std::int16_t attributes = RecordBatch(batch).attributes();
  set_timestamps(batch, static_cast<std::int16_t>(attributes & ~kLogAppendTimeBit), max_timestamp);
}

void set_log_append_time(MutableBytes batch, WallTime now) {
  const std::int16_t attributes = RecordBatch(batch).attributes();
  set_timestamps(batch, static_cast<std::int16_t>(attributes | kLogAppendTimeBit), now.milliseconds);
}

void renew_crc(MutableBytes batch) { at(batch, batch_layout::kCrc).u32(RecordBatch(batch).computed_crc()); }

}  // namespace braid::protocol
