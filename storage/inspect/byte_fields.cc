#include "storage/inspect/byte_fields.h"

#include <array>
#include <cstdio>
#include <utility>

#include "protocol/base/hex.h"
#include "protocol/records/codec.h"
#include "protocol/records/record_batch.h"
#include "protocol/wire/reader.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/inspect/entry_text.h"

namespace braid::storage {
namespace {

/// Takes fields off bytes in a row.
class FieldReader {
 public:
  explicit FieldReader(ByteView bytes) : bytes_(bytes), in_(bytes) {}

  std::vector<ByteField> take() { return std::move(fields_); }
  /// To the field that came last.
  void remark(std::string text) { fields_.back().remark = std::move(text); }

  std::int64_t i8(std::string_view name) { return number(name, 1, in_.i8()); }
  std::int64_t u8(std::string_view name) { return number(name, 1, in_.u8()); }
  std::int64_t i16(std::string_view name) { return number(name, 2, in_.i16()); }
  std::int64_t u16(std::string_view name) { return number(name, 2, in_.u16()); }
  std::int64_t i32(std::string_view name) { return number(name, 4, in_.i32()); }
  std::int64_t u32(std::string_view name) { return number(name, 4, in_.u32()); }
  std::int64_t i64(std::string_view name) { return number(name, 8, in_.i64()); }
  /// As hexadecimal digits.
  void hex(std::string_view name, std::size_t count) {
    text(name, count, protocol::to_hex(bytes_.subspan(at_, count)));
    in_.skip(count);
  }
  void uuid(std::string_view name) { text(name, 16, protocol::to_text(in_.uuid())); }
  void time(std::string_view name) { remark_time(i64(name)); }

 private:
  std::int64_t number(std::string_view name, std::size_t count, std::int64_t value) {
    fields_.push_back({.at = at_, .bytes = count, .name = name, .value = std::to_string(value)});
    at_ += count;
    return value;
  }
  void text(std::string_view name, std::size_t count, std::string value) {
    fields_.push_back({.at = at_, .bytes = count, .name = name, .value = std::move(value), .is_number = false});
    at_ += count;
  }
  void remark_time(std::int64_t milliseconds) { remark(time_text(milliseconds)); }

  const ByteView bytes_;
  protocol::Reader in_;
  std::size_t at_ = 0;
  std::vector<ByteField> fields_;
};

std::string attributes_text(const protocol::RecordBatch& batch) {
  std::string text = batch.codec_bits() > protocol::kCodecLast ? std::string("a codec that does not exist")
                                                               : "codec " + std::string(codec_name(batch.codec()));
  text += batch.timestamp_type() == protocol::TimestampType::kLogAppendTime ? ", LogAppendTime" : ", CreateTime";
  if (batch.transactional()) text += ", transactional";
  if (batch.control()) text += ", control";
  if (batch.has_delete_horizon()) text += ", delete horizon";
  return text;
}

}  // namespace

std::vector<ByteField> entry_header_fields(ByteView bytes) {
  constexpr std::int64_t kNotStated = 0xFFFF'FFFF;
  FieldReader in(bytes);
  in.hex("magic", 4);
  in.hex("header_crc", 4);
  in.i32("size");
  const std::int64_t type = in.u8("type");
  if (type > 0 && type <= kEntryTypeLast) in.remark(std::string(name_of(static_cast<EntryType>(type))));
  in.u8("padding");
  in.u16("reserved");
  in.i64("position");
  in.u32("incarnation");
  in.hex("payload_crc", 4);
  in.uuid("topic_id");
  in.i32("partition");
  in.i32("leader_epoch");
  in.i64("base_offset");
  in.i32("count");
  if (in.u32("behind_synced") == kNotStated) in.remark("not stated");
  in.time("max_timestamp");
  in.time("append_time");
  return in.take();
}

std::vector<ByteField> batch_header_fields(ByteView bytes) {
  const protocol::RecordBatch batch(bytes);
  FieldReader in(bytes);
  in.i64("base_offset");
  in.i32("batch_length");
  in.i32("partition_leader_epoch");
  in.i8("magic");
  in.hex("crc", 4);
  in.remark(batch.crc_matches() ? "matches" : "does NOT match");
  in.i16("attributes");
  in.remark(attributes_text(batch));
  in.i32("last_offset_delta");
  in.time("base_timestamp");
  in.time("max_timestamp");
  in.i64("producer_id");
  in.i16("producer_epoch");
  in.i32("base_sequence");
  in.i32("record_count");
  return in.take();
}

void tell_fields(const std::vector<ByteField>& fields, std::int64_t at, InspectOutput& out) {
  for (const ByteField& field : fields) {
    std::array<char, 80> columns{};
    const std::int64_t place = at + static_cast<std::int64_t>(field.at);
    std::snprintf(columns.data(), columns.size(), "%14lld %3zu  %-23.*s", static_cast<long long>(place), field.bytes,
                  static_cast<int>(field.name.size()), field.name.data());
    std::string line = columns.data() + field.value;
    if (!field.remark.empty()) line += "   " + field.remark;
    out.row(line);
  }
}

void add_fields(const std::vector<ByteField>& fields, JsonRow& row) {
  for (const ByteField& field : fields) {
    if (field.is_number)
      row.member(field.name, field.value);
    else
      row.text(field.name, field.value);
  }
}

}  // namespace braid::storage
