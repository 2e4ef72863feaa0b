#include "storage/inspect/record_place.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "protocol/base/hex.h"
#include "protocol/base/printable.h"
#include "protocol/base/utf8.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_iterator.h"
#include "protocol/wire/reader.h"
#include "storage/inspect/byte_fields.h"
#include "storage/inspect/entry_text.h"
#include "storage/inspect/json_row.h"

namespace braid::storage {
namespace {

using protocol::Record;

constexpr std::size_t kContentBytesMax = std::size_t{128} << 20;  // an uncompressed request may have 100 MiB
constexpr std::size_t kShownBytesMax = 1024;                      // of a key or value, for people

std::string shown(const std::optional<ByteView>& bytes) {
  if (!bytes) return "null";
  const ByteView some = bytes->first(std::min(bytes->size(), kShownBytesMax));
  const std::string_view text = protocol::as_text(some);
  const std::string size = " (" + std::to_string(bytes->size()) + " bytes)";
  const std::string cut = some.size() < bytes->size() ? "…" : "";
  const bool is_text = protocol::is_utf8(protocol::as_text(*bytes));
  return (is_text ? "\"" + protocol::printable(text) + "\"" : protocol::to_hex(some)) + cut + size;
}

void add_bytes(std::string_view key, const std::optional<ByteView>& bytes, JsonRow& row) {
  if (bytes)
    row.bytes(key, *bytes);
  else
    row.null(key);
}

/// The record, and which bytes of the batch's content it takes.
struct FoundRecord {
  Record record;
  std::size_t at = 0;
  std::size_t bytes = 0;
};

std::optional<FoundRecord> find_record(const protocol::RecordBatch& batch, ByteView body, Offset offset) {
  protocol::RecordIterator records(batch, body);
  protocol::Reader lengths(body);
  while (true) {
    const std::size_t at = body.size() - lengths.remaining();
    const std::int32_t length = lengths.varint();
    const auto record = records.next();
    if (record.has_error() || !record->has_value() || !lengths.ok() || length < 0) return std::nullopt;
    lengths.skip(static_cast<std::size_t>(length));
    if ((*record)->offset == offset.value)
      return FoundRecord{.record = **record, .at = at, .bytes = body.size() - lengths.remaining() - at};
  }
}

std::string headers_json(protocol::RecordHeaders headers) {
  std::string json = "[";
  while (const auto header = headers.next()) {
    JsonRow pair;
    pair.bytes("key", header->key);
    add_bytes("value", header->value, pair);
    json += (json.size() > 1 ? "," : "") + pair.line();
  }
  return json + "]";
}

void tell_json(const FoundRecord& found, const EntryPlace& place, std::optional<std::int64_t> at, InspectOutput& out) {
  JsonRow row;
  row.text("step", "record");
  row.text("file", place.path);
  if (at)
    row.number("at", *at);
  else
    row.number("at_in_content", found.at);
  row.number("size", found.bytes);
  row.number("offset", found.record.offset);
  row.number("timestamp", found.record.timestamp);
  add_bytes("key", found.record.key, row);
  add_bytes("value", found.record.value, row);
  row.member("headers", headers_json(found.record.headers));
  out.row(row.line());
}

void tell_text(const FoundRecord& found, const EntryPlace& place, std::optional<std::int64_t> at, InspectOutput& out) {
  const std::string where =
      at ? " at " + std::to_string(*at) : ", byte " + std::to_string(found.at) + " of the batch's content, unpacked";
  out.row("record: " + place.path + where + ", " + std::to_string(found.bytes) + " bytes");
  out.row("    offset     " + std::to_string(found.record.offset));
  out.row("    timestamp  " + std::to_string(found.record.timestamp) + "   " + time_text(found.record.timestamp));
  out.row("    key        " + shown(found.record.key));
  out.row("    value      " + shown(found.record.value));
  protocol::RecordHeaders headers = found.record.headers;
  while (const auto header = headers.next())
    out.row("    header     " + shown(header->key) + " = " + shown(header->value));
}

}  // namespace

void tell_entry_header(const EntryPlace& place, InspectOutput& out) {
  const std::vector<ByteField> fields = entry_header_fields(place.entry);
  if (out.format() == InspectFormat::kJson) {
    JsonRow row;
    row.text("step", "entry");
    row.text("file", place.path);
    row.number("at", place.at);
    add_fields(fields, row);
    return out.row(row.line());
  }
  out.row("entry: " + place.path + " at " + std::to_string(place.at));
  tell_fields(fields, place.at, out);
}

void tell_batch_header(const EntryPlace& place, InspectOutput& out) {
  constexpr auto kHeader = static_cast<std::size_t>(kEntryHeaderBytes);
  if (place.entry.size() < kHeader + protocol::kBatchHeaderBytes) return;
  // Behind it lies padding, which its CRC does not know.
  const ByteView rest = place.entry.subspan(kHeader);
  const std::int64_t said = protocol::RecordBatch(rest).batch_length() + std::int64_t{protocol::kBatchPrefixBytes};
  const bool is_possible = said >= std::int64_t{protocol::kBatchHeaderBytes} && said <= std::ssize(rest);
  const ByteView batch = is_possible ? rest.first(static_cast<std::size_t>(said)) : rest;
  const std::int64_t at = place.at + kEntryHeaderBytes;
  const std::vector<ByteField> fields = batch_header_fields(batch);
  if (out.format() == InspectFormat::kJson) {
    JsonRow row;
    row.text("step", "batch");
    row.text("file", place.path);
    row.number("at", at);
    row.flag("crc_matches", protocol::RecordBatch(batch).crc_matches());
    add_fields(fields, row);
    return out.row(row.line());
  }
  out.row("batch: " + place.path + " at " + std::to_string(at));
  tell_fields(fields, at, out);
}

void tell_record(const EntryPlace& place, ByteView payload, Offset offset, InspectOutput& out) {
  const std::int64_t batch_at = place.at + kEntryHeaderBytes;
  const auto fault = [&](const std::string& what) { out.finding({.what = what, .path = place.path, .at = batch_at}); };
  const protocol::RecordBatch batch(payload);
  protocol::Decompressor decompressor;
  protocol::Bytes buffer;
  const auto body = record_body(batch, kContentBytesMax, decompressor, buffer);
  if (body.has_error()) return fault("the batch's records can't be unpacked: " + body.error().message());
  const auto found = find_record(batch, *body, offset);
  if (!found) return fault("the batch holds no record with offset " + std::to_string(offset.value));
  const bool is_plain = body->data() == batch.body().data();
  const std::optional<std::int64_t> at =
      is_plain ? std::optional(batch_at + static_cast<std::int64_t>(protocol::kBatchHeaderBytes + found->at))
               : std::nullopt;
  if (out.format() == InspectFormat::kJson) return tell_json(*found, place, at, out);
  tell_text(*found, place, at, out);
}

}  // namespace braid::storage
