#pragma once

#include <cstddef>
#include <cstdint>

namespace braid::protocol {

/// A length of -1 stands for null, where null is allowed.
inline constexpr std::int32_t kNullLength = -1;

/// The small fields of one record, and where in it the large ones lie. A record is, after its own length:
/// int8 attributes, varlong timestamp delta, varint offset delta, varint key length (-1: null), key, varint value
/// length (-1: null), value, varint header count; then per header varint key length, key, varint value length
/// (-1: null), value. All varints are zigzag.
struct RecordShape {
  std::uint8_t attributes = 0;
  std::int64_t timestamp_delta = 0;
  std::int32_t offset_delta = 0;
  std::int32_t key_bytes = kNullLength;
  std::size_t key_begin = 0;
  std::int32_t value_bytes = kNullLength;
  std::size_t value_begin = 0;
  std::int32_t header_count = 0;
  std::size_t headers_begin = 0;
};

// All inline by force: validation spends its time here, and a cursor that is passed on by reference lives in memory,
// not in registers.

/// Passes over a field that may be null; returns its length. Any other negative length fails the cursor.
template <class Cursor>
[[gnu::always_inline]] inline std::int32_t pass_nullable(Cursor& in) {
  const std::int32_t length = in.varint();
  if (length >= 0) {
    in.skip(static_cast<std::size_t>(length));
  } else if (length != kNullLength) {
    in.fail();
  }
  return length;
}

template <class Cursor>
[[gnu::always_inline]] inline void pass_header(Cursor& in) {
  const std::int32_t key_bytes = in.varint();
  if (key_bytes < 0) return in.fail();
  in.skip(static_cast<std::size_t>(key_bytes));
  pass_nullable(in);
}

/// Reads the record that `in` covers exactly, its length field excluded. It is well-formed only if the cursor is ok()
/// afterwards with nothing remaining: ask well_formed().
///
/// A Cursor has u8, varint, varlong, skip, fail, ok, position and remaining as RecordCursor does.
template <class Cursor>
[[gnu::always_inline]] inline RecordShape read_record_shape(Cursor& in) {
  RecordShape shape;
  shape.attributes = in.u8();
  shape.timestamp_delta = in.varlong();
  shape.offset_delta = in.varint();
  shape.key_bytes = pass_nullable(in);
  shape.key_begin = in.position() - (shape.key_bytes > 0 ? static_cast<std::size_t>(shape.key_bytes) : 0);
  shape.value_bytes = pass_nullable(in);
  shape.value_begin = in.position() - (shape.value_bytes > 0 ? static_cast<std::size_t>(shape.value_bytes) : 0);
  shape.header_count = in.varint();
  shape.headers_begin = in.position();
  if (shape.header_count < 0) in.fail();
  for (std::int32_t i = 0; i < shape.header_count && in.ok(); ++i) pass_header(in);
  return shape;
}

template <class Cursor>
bool well_formed(const Cursor& in) {
  return in.ok() && in.remaining() == 0;
}

}  // namespace braid::protocol
