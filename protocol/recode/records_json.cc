#include "protocol/recode/records_json.h"

#include <optional>
#include <string_view>

namespace braid::protocol {
namespace {

template <class Value>
void entry(std::string_view key, const Value& value, JsonText& out) {
  out.key(key);
  out.value(value);
}

void bytes_or_null(const std::optional<ByteView>& bytes, JsonText& out) {
  if (bytes)
    out.value(*bytes);
  else
    out.null();
}

std::string_view codec_text(const RecordBatch& batch) {
  return batch.codec_bits() > kCodecLast ? std::string_view("unknown") : codec_name(batch.codec());
}

void begin_record(std::int64_t offset, std::int64_t timestamp, const std::optional<ByteView>& key,
                  const std::optional<ByteView>& value, JsonText& out) {
  out.begin_object();
  entry("offset", offset, out);
  entry("timestamp", timestamp, out);
  out.key("key");
  bytes_or_null(key, out);
  out.key("value");
  bytes_or_null(value, out);
  out.key("headers");
  out.begin_array();
}

void header_pair(const RecordHeader& header, JsonText& out) {
  out.begin_array();
  out.value(header.key);
  bytes_or_null(header.value, out);
  out.end_array();
}

void end_record(JsonText& out) {
  out.end_array();
  out.end_object();
}

}  // namespace

void batch_members(const RecordBatch& batch, JsonText& out) {
  entry("base_offset", batch.base_offset(), out);
  entry("last_offset", batch.last_offset(), out);
  entry("bytes", batch.bytes().size(), out);
  entry("leader_epoch", batch.partition_leader_epoch(), out);
  entry("magic", batch.magic(), out);
  entry("crc", batch.crc(), out);
  entry("crc_ok", batch.crc_matches(), out);
  entry("codec", codec_text(batch), out);
  entry("log_append_time", batch.timestamp_type() == TimestampType::kLogAppendTime, out);
  entry("base_timestamp", batch.base_timestamp(), out);
  entry("max_timestamp", batch.max_timestamp(), out);
  entry("transactional", batch.transactional(), out);
  entry("control", batch.control(), out);
  if (batch.has_delete_horizon()) entry("delete_horizon", batch.base_timestamp(), out);
  entry("producer_id", batch.producer_id(), out);
  entry("producer_epoch", batch.producer_epoch(), out);
  entry("base_sequence", batch.base_sequence(), out);
  entry("count", batch.record_count(), out);
}

void record_object(const Record& record, JsonText& out) {
  begin_record(record.offset, record.timestamp, record.key, record.value, out);
  RecordHeaders headers = record.headers;
  while (const std::optional<RecordHeader> header = headers.next()) header_pair(*header, out);
  end_record(out);
}

void record_object(std::int64_t offset, std::int64_t timestamp, const NewRecord& record, JsonText& out) {
  begin_record(offset, timestamp, record.key, record.value, out);
  for (const RecordHeader& header : record.headers) header_pair(header, out);
  end_record(out);
}

}  // namespace braid::protocol
