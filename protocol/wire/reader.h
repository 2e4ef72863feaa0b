#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"

namespace braid::protocol {

/// Reads big-endian fields in a row. It remembers that it ran short, or was told to fail(), and yields zeros and empty
/// views from then on: decode in a straight line, then ask ok() once. It never reads past the end and never allocates.
///
/// Borrows the bytes; the views it hands out live as long as they do. One thread.
class Reader {
 public:
  explicit Reader(ByteView bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return !failed_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }

  std::int8_t i8() { return static_cast<std::int8_t>(fixed<std::uint8_t>()); }
  std::uint8_t u8() { return fixed<std::uint8_t>(); }
  std::int16_t i16() { return static_cast<std::int16_t>(fixed<std::uint16_t>()); }
  std::uint16_t u16() { return fixed<std::uint16_t>(); }
  std::int32_t i32() { return static_cast<std::int32_t>(fixed<std::uint32_t>()); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::int64_t i64() { return static_cast<std::int64_t>(fixed<std::uint64_t>()); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  double f64() { return std::bit_cast<double>(fixed<std::uint64_t>()); }
  /// Any byte but zero is true, as in Kafka.
  bool boolean() { return u8() != 0; }
  Uuid uuid();

  /// At most 5 bytes (10 for the long one), else the reader fails; bits beyond the width are dropped, as in Kafka.
  std::uint32_t unsigned_varint();
  std::uint64_t unsigned_varlong();
  std::int32_t varint();
  std::int64_t varlong();

  /// The next `count` bytes, not copied.
  ByteView bytes(std::size_t count);
  void skip(std::size_t count) { static_cast<void>(bytes(count)); }

  /// What was read does not make sense: nothing more is read, ok() is false.
  void fail() {
    failed_ = true;
    at_ = end_;
  }

 private:
  template <class Unsigned>
  Unsigned fixed() {
    if (remaining() < sizeof(Unsigned)) [[unlikely]] {
      fail();
      return 0;
    }
    Unsigned value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return to_host(value);
  }

  static std::uint8_t to_host(std::uint8_t value) { return value; }
  static std::uint16_t to_host(std::uint16_t value) { return __builtin_bswap16(value); }
  static std::uint32_t to_host(std::uint32_t value) { return __builtin_bswap32(value); }
  static std::uint64_t to_host(std::uint64_t value) { return __builtin_bswap64(value); }
  static_assert(std::endian::native == std::endian::little,
                "to_host swaps: all Debian machines that we build for are little-endian");

  const std::byte* at_;
  const std::byte* end_;
  bool failed_ = false;
};

}  // namespace braid::protocol
