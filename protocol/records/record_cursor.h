#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/base/bytes.h"
#include "protocol/wire/varint.h"

namespace braid::protocol {

/// Reads the fields of records that lie in one piece of memory. Like Reader it remembers that it ran short or was told
/// to fail(), and yields zeros from then on; unlike it, it is all inline and knows its position: validation spends its
/// time here.
///
/// Borrows the bytes. One thread.
class RecordCursor {
 public:
  explicit RecordCursor(ByteView bytes) : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  bool ok() const { return !failed_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }

  /// What was not read yet.
  ByteView rest() const { return {at_, remaining()}; }

  std::uint8_t u8() {
    if (at_ == end_) [[unlikely]] {
      fail();
      return 0;
    }
    return std::to_integer<std::uint8_t>(*at_++);
  }

  /// At most 5 bytes (10 for the long one), else the cursor fails; bits beyond the width are dropped, as in Kafka.
  std::int32_t varint() { return zigzag_decode(variable<std::uint32_t>()); }
  std::int64_t varlong() { return zigzag_decode(variable<std::uint64_t>()); }

  void skip(std::size_t count) {
    if (count > remaining()) [[unlikely]] {
      fail();
      return;
    }
    at_ += count;
  }

  void fail() {
    failed_ = true;
    at_ = end_;
  }

 private:
  template <class Unsigned>
  struct Decoded {
    Unsigned value = 0;
    const std::byte* next = nullptr;  // null: it did not end in time
  };

  template <class Unsigned>
  Unsigned variable() {
    // Nearly all integers in records take one byte or two.
    if (at_ != end_) [[likely]] {
      const auto first = std::to_integer<Unsigned>(at_[0]);
      if (first < 0x80) {
        ++at_;
        return first;
      }
      if (remaining() >= 2) [[likely]] {
        const auto second = std::to_integer<Unsigned>(at_[1]);
        if (second < 0x80) {
          at_ += 2;
          return (first & 0x7f) | second << 7;
        }
      }
    }
    const Decoded<Unsigned> decoded = decode<Unsigned>(at_, end_);
    if (decoded.next == nullptr) [[unlikely]] {
      fail();
      return 0;
    }
    at_ = decoded.next;
    return decoded.value;
  }

  /// Takes the position by value, so that a cursor never has an address and lives in registers.
  template <class Unsigned>
  [[gnu::noinline]] static Decoded<Unsigned> decode(const std::byte* at, const std::byte* end) {
    Unsigned value = 0;
    for (std::size_t i = 0; i < kVariableBytesMax<Unsigned> && at != end; ++i) {
      const auto byte = std::to_integer<std::uint8_t>(*at++);
      value |= static_cast<Unsigned>(byte & 0x7f) << (7 * i);
      if ((byte & 0x80) == 0) return {value, at};
    }
    return {};
  }

  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
  bool failed_ = false;
};

}  // namespace braid::protocol
