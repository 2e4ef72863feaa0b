#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/base/arena.h"
#include "protocol/base/bytes.h"
#include "protocol/messages/encode_fault.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/varint.h"
#include "protocol/wire/writer.h"

/// How strings, byte fields, arrays and tags lie on the wire; only generated codecs include it.
///
/// Classic: a string has an int16 length, byte fields and arrays an int32 length; -1 is null. Flexible: the length is
/// an unsigned varint of N + 1; 0 is null. Reading fails the reader for a null that is not allowed, a length that the
/// bytes cannot hold and anything below -1.
namespace braid::protocol {

// -- reading

std::string_view classic_string(Reader& in);
std::string_view flexible_string(Reader& in);
std::optional<std::string_view> nullable_classic_string(Reader& in, bool null_allowed);
std::optional<std::string_view> nullable_flexible_string(Reader& in, bool null_allowed);
ByteView classic_bytes(Reader& in);
ByteView flexible_bytes(Reader& in);
std::optional<ByteView> nullable_classic_bytes(Reader& in, bool null_allowed);
std::optional<ByteView> nullable_flexible_bytes(Reader& in, bool null_allowed);

/// Elements of an array that follows; at most as many as the remaining bytes can hold when one takes `smallest_bytes`.
std::size_t classic_count(Reader& in, std::size_t smallest_bytes);
std::size_t flexible_count(Reader& in, std::size_t smallest_bytes);
std::optional<std::size_t> nullable_classic_count(Reader& in, std::size_t smallest_bytes, bool null_allowed);
std::optional<std::size_t> nullable_flexible_count(Reader& in, std::size_t smallest_bytes, bool null_allowed);

/// `count` default elements; none, and a failed reader, when the arena is exhausted.
template <class T>
std::span<T> new_array(Reader& in, Arena& arena, std::size_t count) {
  const std::span<T> items = arena.array<T>(count);
  if (items.size() != count) in.fail();
  return items;
}

/// A tagged field: its value must end where its size says.
struct TaggedField {
  std::uint32_t tag = 0;
  std::uint32_t size_bytes = 0;
  std::size_t remaining_after = 0;
};

std::uint32_t tag_count(Reader& in);
TaggedField begin_tag(Reader& in);
inline void end_tag(Reader& in, const TaggedField& tagged) {
  if (in.remaining() != tagged.remaining_after) in.fail();
}
/// A whole tag section of which nothing is known.
void skip_tags(Reader& in);

// -- sizes

std::size_t classic_string_size(std::string_view text);
std::size_t flexible_string_size(std::string_view text);
inline std::size_t classic_string_size(const std::optional<std::string_view>& text) {
  return text ? classic_string_size(*text) : 2;
}
inline std::size_t flexible_string_size(const std::optional<std::string_view>& text) {
  return text ? flexible_string_size(*text) : 1;
}
inline std::size_t classic_count_size(std::size_t) { return 4; }
inline std::size_t flexible_count_size(std::size_t count) {
  return unsigned_varint_size(static_cast<std::uint32_t>(count) + 1);
}
inline std::size_t classic_bytes_size(ByteView bytes) { return 4 + bytes.size(); }
inline std::size_t flexible_bytes_size(ByteView bytes) { return flexible_count_size(bytes.size()) + bytes.size(); }
inline std::size_t classic_bytes_size(const std::optional<ByteView>& bytes) {
  return bytes ? classic_bytes_size(*bytes) : 4;
}
inline std::size_t flexible_bytes_size(const std::optional<ByteView>& bytes) {
  return bytes ? flexible_bytes_size(*bytes) : 1;
}
/// Tag number, size and value together.
inline std::size_t tag_size(std::uint32_t tag, std::size_t value_bytes) {
  return unsigned_varint_size(tag) + unsigned_varint_size(static_cast<std::uint32_t>(value_bytes)) + value_bytes;
}

// -- writing; the nullable forms take whether null is allowed and the name for encode_fault()

inline void write_classic_count(Writer& out, std::size_t count) { out.i32(static_cast<std::int32_t>(count)); }
inline void write_flexible_count(Writer& out, std::size_t count) {
  out.unsigned_varint(static_cast<std::uint32_t>(count) + 1);
}
void write_classic_null_array(Writer& out, bool allowed, const char* field);
void write_flexible_null_array(Writer& out, bool allowed, const char* field);

void write_classic_string(Writer& out, std::string_view text);
void write_flexible_string(Writer& out, std::string_view text);
void write_nullable_classic_string(Writer& out, const std::optional<std::string_view>& text, bool allowed,
                                   const char* field);
void write_nullable_flexible_string(Writer& out, const std::optional<std::string_view>& text, bool allowed,
                                    const char* field);

void write_classic_bytes(Writer& out, ByteView bytes);
void write_flexible_bytes(Writer& out, ByteView bytes);
void write_nullable_classic_bytes(Writer& out, const std::optional<ByteView>& bytes, bool allowed, const char* field);
void write_nullable_flexible_bytes(Writer& out, const std::optional<ByteView>& bytes, bool allowed, const char* field);

/// Record batches are not copied when the writer keeps a list of holes.
void write_classic_records(Writer& out, ByteView records);
void write_flexible_records(Writer& out, ByteView records);
void write_nullable_classic_records(Writer& out, const std::optional<ByteView>& records, bool allowed,
                                    const char* field);
void write_nullable_flexible_records(Writer& out, const std::optional<ByteView>& records, bool allowed,
                                     const char* field);

inline void write_tag(Writer& out, std::uint32_t tag, std::size_t value_bytes) {
  out.unsigned_varint(tag);
  out.unsigned_varint(static_cast<std::uint32_t>(value_bytes));
}

}  // namespace braid::protocol
