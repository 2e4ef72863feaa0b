#include "protocol/messages/field_forms.h"

#include <algorithm>
#include <limits>

#include "protocol/base/limits.h"

namespace braid::protocol {
namespace {

constexpr std::int64_t kNull = -1;

/// Length of a classic or flexible field: kNull, or 0 and more. The reader fails for anything else.
std::int64_t known_length(Reader& in, std::int64_t length, std::int64_t length_max) {
  if (length >= kNull && length <= length_max) return length;
  in.fail();
  return 0;
}

std::int64_t flexible_length(Reader& in, std::int64_t length_max) {
  return known_length(in, static_cast<std::int64_t>(in.unsigned_varint()) - 1, length_max);
}

constexpr std::int64_t kStringMax = static_cast<std::int64_t>(kStringBytesMax);
constexpr std::int64_t kBytesMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kCountMax = static_cast<std::int64_t>(kArrayElementsMax);

std::int64_t classic_string_length(Reader& in) { return known_length(in, in.i16(), kStringMax); }
std::int64_t classic_length(Reader& in, std::int64_t length_max) { return known_length(in, in.i32(), length_max); }

/// What follows a length that may be null.
std::optional<ByteView> nullable_value(Reader& in, std::int64_t length, bool null_allowed) {
  if (length == kNull) {
    if (!null_allowed) in.fail();
    return std::nullopt;
  }
  return in.bytes(static_cast<std::size_t>(length));
}

ByteView value(Reader& in, std::int64_t length) { return nullable_value(in, length, false).value_or(ByteView{}); }

std::optional<std::string_view> nullable_text(const std::optional<ByteView>& bytes) {
  if (!bytes) return std::nullopt;
  return as_text(*bytes);
}

std::optional<std::size_t> nullable_count(Reader& in, std::int64_t length, std::size_t smallest_bytes,
                                          bool null_allowed) {
  if (length == kNull) {
    if (!null_allowed) in.fail();
    return std::nullopt;
  }
  const auto count = static_cast<std::size_t>(length);
  if (count > in.remaining() / smallest_bytes) {
    in.fail();
    return 0;
  }
  return count;
}

/// A longer string cannot be told on the wire: it is cut, which is a fault of the caller.
ByteView cut(std::string_view text) {
  if (text.size() <= kStringBytesMax) [[likely]]
    return as_bytes(text);
  encode_fault("a string above the wire's limit");
  return as_bytes(text.substr(0, kStringBytesMax));
}

}  // namespace

std::string_view classic_string(Reader& in) { return as_text(value(in, classic_string_length(in))); }
std::string_view flexible_string(Reader& in) { return as_text(value(in, flexible_length(in, kStringMax))); }
std::optional<std::string_view> nullable_classic_string(Reader& in, bool null_allowed) {
  return nullable_text(nullable_value(in, classic_string_length(in), null_allowed));
}
std::optional<std::string_view> nullable_flexible_string(Reader& in, bool null_allowed) {
  return nullable_text(nullable_value(in, flexible_length(in, kStringMax), null_allowed));
}

ByteView classic_bytes(Reader& in) { return value(in, classic_length(in, kBytesMax)); }
ByteView flexible_bytes(Reader& in) { return value(in, flexible_length(in, kBytesMax)); }
std::optional<ByteView> nullable_classic_bytes(Reader& in, bool null_allowed) {
  return nullable_value(in, classic_length(in, kBytesMax), null_allowed);
}
std::optional<ByteView> nullable_flexible_bytes(Reader& in, bool null_allowed) {
  return nullable_value(in, flexible_length(in, kBytesMax), null_allowed);
}

std::size_t classic_count(Reader& in, std::size_t smallest_bytes) {
  return nullable_classic_count(in, smallest_bytes, false).value_or(0);
}
std::size_t flexible_count(Reader& in, std::size_t smallest_bytes) {
  return nullable_flexible_count(in, smallest_bytes, false).value_or(0);
}
std::optional<std::size_t> nullable_classic_count(Reader& in, std::size_t smallest_bytes, bool null_allowed) {
  return nullable_count(in, classic_length(in, kCountMax), smallest_bytes, null_allowed);
}
std::optional<std::size_t> nullable_flexible_count(Reader& in, std::size_t smallest_bytes, bool null_allowed) {
  return nullable_count(in, flexible_length(in, kCountMax), smallest_bytes, null_allowed);
}

std::uint32_t tag_count(Reader& in) {
  constexpr std::size_t kSmallestTagBytes = 2;  // number and size
  const std::uint32_t count = in.unsigned_varint();
  if (count <= kTaggedFieldsMax && count <= in.remaining() / kSmallestTagBytes) return count;
  in.fail();
  return 0;
}

TaggedField begin_tag(Reader& in) {
  TaggedField tagged;
  tagged.tag = in.unsigned_varint();
  tagged.size_bytes = in.unsigned_varint();
  if (tagged.size_bytes > in.remaining()) in.fail();
  tagged.remaining_after = in.ok() ? in.remaining() - tagged.size_bytes : 0;
  return tagged;
}

void skip_tags(Reader& in) {
  for (std::uint32_t left = tag_count(in); left > 0 && in.ok(); --left) in.skip(begin_tag(in).size_bytes);
}

std::size_t classic_string_size(std::string_view text) { return 2 + std::min(text.size(), kStringBytesMax); }
std::size_t flexible_string_size(std::string_view text) {
  const std::size_t bytes = std::min(text.size(), kStringBytesMax);
  return flexible_count_size(bytes) + bytes;
}

void write_classic_null_array(Writer& out, bool allowed, const char* field) {
  if (!allowed) encode_fault(field);
  out.i32(allowed ? -1 : 0);
}
void write_flexible_null_array(Writer& out, bool allowed, const char* field) {
  if (!allowed) encode_fault(field);
  out.unsigned_varint(allowed ? 0 : 1);
}

void write_classic_string(Writer& out, std::string_view text) {
  const ByteView bytes = cut(text);
  out.i16(static_cast<std::int16_t>(bytes.size()));
  out.bytes(bytes);
}
void write_flexible_string(Writer& out, std::string_view text) {
  const ByteView bytes = cut(text);
  write_flexible_count(out, bytes.size());
  out.bytes(bytes);
}
void write_nullable_classic_string(Writer& out, const std::optional<std::string_view>& text, bool allowed,
                                   const char* field) {
  if (text) return write_classic_string(out, *text);
  if (!allowed) encode_fault(field);
  out.i16(allowed ? std::int16_t{-1} : std::int16_t{0});
}
void write_nullable_flexible_string(Writer& out, const std::optional<std::string_view>& text, bool allowed,
                                    const char* field) {
  if (text) return write_flexible_string(out, *text);
  write_flexible_null_array(out, allowed, field);
}

void write_classic_bytes(Writer& out, ByteView bytes) {
  write_classic_count(out, bytes.size());
  out.bytes(bytes);
}
void write_flexible_bytes(Writer& out, ByteView bytes) {
  write_flexible_count(out, bytes.size());
  out.bytes(bytes);
}
void write_nullable_classic_bytes(Writer& out, const std::optional<ByteView>& bytes, bool allowed, const char* field) {
  if (bytes) return write_classic_bytes(out, *bytes);
  write_classic_null_array(out, allowed, field);
}
void write_nullable_flexible_bytes(Writer& out, const std::optional<ByteView>& bytes, bool allowed, const char* field) {
  if (bytes) return write_flexible_bytes(out, *bytes);
  write_flexible_null_array(out, allowed, field);
}

void write_classic_records(Writer& out, ByteView records) {
  write_classic_count(out, records.size());
  out.external(records);
}
void write_flexible_records(Writer& out, ByteView records) {
  write_flexible_count(out, records.size());
  out.external(records);
}
void write_nullable_classic_records(Writer& out, const std::optional<ByteView>& records, bool allowed,
                                    const char* field) {
  if (records) return write_classic_records(out, *records);
  write_classic_null_array(out, allowed, field);
}
void write_nullable_flexible_records(Writer& out, const std::optional<ByteView>& records, bool allowed,
                                     const char* field) {
  if (records) return write_flexible_records(out, *records);
  write_flexible_null_array(out, allowed, field);
}

}  // namespace braid::protocol
