#include "protocol/records/record_batch_builder.h"

#include <algorithm>
#include <limits>

#include "protocol/base/check.h"
#include "protocol/wire/varint.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

constexpr std::int32_t kNullLength = -1;

/// Lengths are int32 in records; larger ones can't be built.
std::int32_t length_of(ByteView bytes) {
  check(bytes.size() <= std::numeric_limits<std::int32_t>::max(), "a field of a record fits an int32 length");
  return static_cast<std::int32_t>(bytes.size());
}

std::size_t nullable_size(const std::optional<ByteView>& bytes) {
  if (!bytes) return varint_size(kNullLength);
  return varint_size(length_of(*bytes)) + bytes->size();
}

void write_nullable(Writer& out, const std::optional<ByteView>& bytes) {
  out.varint(bytes ? length_of(*bytes) : kNullLength);
  if (bytes) out.bytes(*bytes);
}

struct Deltas {
  std::int64_t timestamp = 0;
  std::int32_t offset = 0;
};

std::size_t record_size(const NewRecord& record, Deltas deltas) {
  std::size_t bytes = 1 + varlong_size(deltas.timestamp) + varint_size(deltas.offset) + nullable_size(record.key) +
                      nullable_size(record.value) + varint_size(static_cast<std::int32_t>(record.headers.size()));
  for (const RecordHeader& header : record.headers) bytes += nullable_size(header.key) + nullable_size(header.value);
  return bytes;
}

void write_record(Writer& out, const NewRecord& record, Deltas deltas) {
  out.i8(0);
  out.varlong(deltas.timestamp);
  out.varint(deltas.offset);
  write_nullable(out, record.key);
  write_nullable(out, record.value);
  out.varint(static_cast<std::int32_t>(record.headers.size()));
  for (const RecordHeader& header : record.headers) {
    write_nullable(out, header.key);
    write_nullable(out, header.value);
  }
}

std::int16_t attributes_of(const BatchProperties& properties) {
  int attributes = static_cast<int>(properties.codec);
  if (properties.log_append_time) attributes |= kLogAppendTimeBit;
  if (properties.transactional) attributes |= kTransactionalBit;
  if (properties.control) attributes |= kControlBit;
  return static_cast<std::int16_t>(attributes);
}

}  // namespace

void RecordBatchBuilder::start(const BatchProperties& properties) {
  properties_ = properties;
  content_.clear();
  record_count_ = 0;
  base_timestamp_ = kNoTimestamp;
  max_timestamp_ = kNoTimestamp;
}

void RecordBatchBuilder::add(const NewRecord& record) {
  check(record_count_ < std::numeric_limits<std::int32_t>::max(), "a batch counts its records in an int32");
  if (record_count_ == 0) base_timestamp_ = max_timestamp_ = record.timestamp;
  max_timestamp_ = std::max(max_timestamp_, record.timestamp);

  const auto difference =
      static_cast<std::uint64_t>(record.timestamp) - static_cast<std::uint64_t>(base_timestamp_);  // wraps, as reading
  const Deltas deltas{.timestamp = static_cast<std::int64_t>(difference), .offset = record_count_};
  const std::size_t bytes = record_size(record, deltas);
  check(bytes <= std::numeric_limits<std::int32_t>::max(), "a record fits an int32 length");
  const auto length = static_cast<std::int32_t>(bytes);
  const std::size_t begin = content_.size();
  content_.resize(begin + varint_size(length) + bytes);
  Writer out(MutableBytes(content_).subspan(begin));
  out.varint(length);
  write_record(out, record, deltas);
  ++record_count_;
}

Result<void> RecordBatchBuilder::finish(Compressor& compressor, Bytes& out, std::size_t out_bytes_max) {
  const std::size_t begin = out.size();
  if (begin > out_bytes_max || out_bytes_max - begin < kBatchHeaderBytes) return make_error_code(Errc::too_large);
  out.resize(begin + kBatchHeaderBytes);
  const auto packed = [&]() -> Result<void> {
    const int level = properties_.level.value_or(level_range(properties_.codec).ordinary);
    compressor.start(properties_.codec, level, out, out_bytes_max, content_.size());
    TRY_DO(compressor.write(content_));
    return compressor.finish();
  }();
  const MutableBytes batch = MutableBytes(out).subspan(begin);
  const std::size_t length = batch.size() - kBatchPrefixBytes;
  if (packed.has_error() || length > std::numeric_limits<std::int32_t>::max()) {
    out.resize(begin);
    return make_error_code(Errc::too_large);
  }
  Writer header(batch);
  header.i64(properties_.base_offset);
  header.i32(static_cast<std::int32_t>(length));
  header.i32(properties_.partition_leader_epoch);
  header.i8(kBatchMagic);
  header.u32(0);  // the CRC, below
  header.i16(attributes_of(properties_));
  header.i32(record_count_ - 1);
  header.i64(base_timestamp_);
  header.i64(properties_.log_append_time.value_or(max_timestamp_));
  header.i64(properties_.producer_id);
  header.i16(properties_.producer_epoch);
  header.i32(properties_.base_sequence);
  header.i32(record_count_);
  renew_crc(batch);
  return ok();
}

Result<Bytes> build_batch(const BatchProperties& properties, std::span<const NewRecord> records, Compressor& compressor,
                          std::size_t bytes_max) {
  RecordBatchBuilder builder;
  builder.start(properties);
  for (const NewRecord& record : records) builder.add(record);
  Bytes batch;
  TRY_DO(builder.finish(compressor, batch, bytes_max));
  return batch;
}

}  // namespace braid::protocol
