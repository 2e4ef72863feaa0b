#include "protocol/records/record_iterator.h"

#include "protocol/base/check.h"
#include "protocol/records/record_shape.h"

namespace braid::protocol {
namespace {

std::optional<ByteView> nullable(ByteView bytes, std::size_t begin, std::int32_t length) {
  if (length < 0) return std::nullopt;
  return bytes.subspan(begin, static_cast<std::size_t>(length));
}

}  // namespace

std::optional<RecordHeader> RecordHeaders::next() {
  if (left_ == 0) return std::nullopt;
  --left_;
  RecordCursor in(bytes_);
  const std::int32_t key_bytes = in.varint();
  const std::size_t key_begin = in.position();
  in.skip(static_cast<std::size_t>(key_bytes));
  const std::int32_t value_bytes = pass_nullable(in);
  check(in.ok(), "headers were found well-formed with their record");

  RecordHeader header{.key = bytes_.subspan(key_begin, static_cast<std::size_t>(key_bytes)), .value = std::nullopt};
  if (value_bytes >= 0) {
    header.value = nullable(bytes_, in.position() - static_cast<std::size_t>(value_bytes), value_bytes);
  }
  bytes_ = bytes_.subspan(in.position());
  return header;
}

RecordIterator::RecordIterator(const RecordBatch& batch, ByteView body)
    : base_offset_(batch.base_offset()),
      base_timestamp_(batch.base_timestamp()),
      log_append_time_(batch.timestamp_type() == TimestampType::kLogAppendTime ? std::optional(batch.max_timestamp())
                                                                               : std::nullopt),
      rest_(body),
      left_(batch.record_count()) {}

Result<std::optional<Record>> RecordIterator::next() {
  if (left_ <= 0) {
    if (!rest_.empty()) return make_error_code(Errc::malformed);
    return std::optional<Record>();
  }
  RecordCursor length_in(rest_);
  const std::int32_t length = length_in.varint();
  if (!length_in.ok() || length < 0 || static_cast<std::size_t>(length) > length_in.remaining()) {
    return make_error_code(Errc::malformed);
  }
  const ByteView bytes = rest_.subspan(length_in.position(), static_cast<std::size_t>(length));
  RecordCursor in(bytes);
  const RecordShape shape = read_record_shape(in);
  if (!well_formed(in)) return make_error_code(Errc::malformed);

  --left_;
  rest_ = rest_.subspan(length_in.position() + bytes.size());
  return std::optional(Record{.offset = add_delta(base_offset_, shape.offset_delta),
                              .timestamp = timestamp_of(shape.timestamp_delta),
                              .key = nullable(bytes, shape.key_begin, shape.key_bytes),
                              .value = nullable(bytes, shape.value_begin, shape.value_bytes),
                              .headers = RecordHeaders(bytes.subspan(shape.headers_begin), shape.header_count)});
}

std::int64_t RecordIterator::timestamp_of(std::int64_t delta) const {
  if (log_append_time_) return *log_append_time_;
  return add_delta(base_timestamp_, delta);
}

Result<ByteView> record_body(const RecordBatch& batch, std::size_t bytes_max, Decompressor& decompressor,
                             Bytes& buffer) {
  if (batch.codec_bits() > kCodecLast) return make_error_code(Errc::malformed);
  return decompress(batch.codec(), batch.body(), bytes_max, decompressor, buffer);
}

}  // namespace braid::protocol
