#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

/// Variable-length integers: seven bits a byte, lowest first, top bit set on all but the last byte. Lengths, tags and
/// counts of flexible messages are unsigned; integers inside records are zigzag.
namespace braid::protocol {

/// Small magnitudes of either sign become small unsigned numbers: 0, -1, 1, -2 … are 0, 1, 2, 3 …
constexpr std::uint32_t zigzag_encode(std::int32_t value) {
  return static_cast<std::uint32_t>(value) << 1 ^ static_cast<std::uint32_t>(value >> 31);
}
constexpr std::uint64_t zigzag_encode(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int32_t zigzag_decode(std::uint32_t value) {
  return static_cast<std::int32_t>(value >> 1 ^ (~(value & 1) + 1));
}
constexpr std::int64_t zigzag_decode(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

/// Longest encodings: ceil(32 / 7) and ceil(64 / 7).
inline constexpr std::size_t kVarintBytesMax = 5;
inline constexpr std::size_t kVarlongBytesMax = 10;
template <class Unsigned>
inline constexpr std::size_t kVariableBytesMax = sizeof(Unsigned) == 4 ? kVarintBytesMax : kVarlongBytesMax;

/// The next one of `in`, which yields bytes by u8() and remembers a fail(): no byte ended the number in time. Bits
/// beyond the width are dropped, as in Kafka.
template <class Unsigned, class Source>
Unsigned read_variable(Source& in) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < kVariableBytesMax<Unsigned>; ++i) {
    const std::uint8_t byte = in.u8();
    value |= static_cast<Unsigned>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) return value;
  }
  in.fail();
  return 0;
}

/// Bytes that each takes: 1 to 5, or 1 to 10.
constexpr std::size_t unsigned_varint_size(std::uint32_t value) {
  return static_cast<std::size_t>(std::bit_width(value | 1U) + 6) / 7;
}
constexpr std::size_t unsigned_varlong_size(std::uint64_t value) {
  return static_cast<std::size_t>(std::bit_width(value | 1U) + 6) / 7;
}
constexpr std::size_t varint_size(std::int32_t value) { return unsigned_varint_size(zigzag_encode(value)); }
constexpr std::size_t varlong_size(std::int64_t value) { return unsigned_varlong_size(zigzag_encode(value)); }

}  // namespace braid::protocol
