#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"

namespace braid::protocol {

/// Bytes that belong between a Writer's own, at `at`, and were not copied: the sender gathers them.
struct Hole {
  std::size_t at = 0;  // own bytes that come before it
  ByteView bytes;      // borrowed from whoever encoded
};

/// Writes big-endian fields into a buffer whose size was computed before; going past its end is a broken invariant and
/// aborts.
///
/// Borrows the buffer and, if given, the list of holes: with one, external() notes its bytes there; without one it
/// copies them. One thread.
class Writer {
 public:
  explicit Writer(MutableBytes out, std::vector<Hole>* holes = nullptr)
      : begin_(out.data()), at_(out.data()), end_(out.data() + out.size()), holes_(holes) {}

  /// Own bytes written so far; holes are not among them.
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }

  void i8(std::int8_t value) { fixed(static_cast<std::uint8_t>(value)); }
  void u8(std::uint8_t value) { fixed(value); }
  void i16(std::int16_t value) { fixed(static_cast<std::uint16_t>(value)); }
  void u16(std::uint16_t value) { fixed(value); }
  void i32(std::int32_t value) { fixed(static_cast<std::uint32_t>(value)); }
  void u32(std::uint32_t value) { fixed(value); }
  void i64(std::int64_t value) { fixed(static_cast<std::uint64_t>(value)); }
  void u64(std::uint64_t value) { fixed(value); }
  void f64(double value) { fixed(std::bit_cast<std::uint64_t>(value)); }
  void boolean(bool value) { u8(value ? 1 : 0); }
  void uuid(const Uuid& uuid);

  void unsigned_varint(std::uint32_t value) { variable(value); }
  void unsigned_varlong(std::uint64_t value) { variable(value); }
  void varint(std::int32_t value);
  void varlong(std::int64_t value);

  void bytes(ByteView value);
  /// Bytes that stay where they are until they are sent, if the writer has a list of holes.
  void external(ByteView value);

 private:
  static std::uint8_t to_wire(std::uint8_t value) { return value; }
  static std::uint16_t to_wire(std::uint16_t value) { return __builtin_bswap16(value); }
  static std::uint32_t to_wire(std::uint32_t value) { return __builtin_bswap32(value); }
  static std::uint64_t to_wire(std::uint64_t value) { return __builtin_bswap64(value); }

  template <class Unsigned>
  void fixed(Unsigned value) {
    need(sizeof value);
    const Unsigned wire = to_wire(value);
    std::memcpy(at_, &wire, sizeof wire);
    at_ += sizeof wire;
  }

  template <class Unsigned>
  void variable(Unsigned value);

  void need(std::size_t count) const {
    if (count > static_cast<std::size_t>(end_ - at_)) [[unlikely]]
      overflow();
  }
  [[noreturn]] static void overflow();

  std::byte* begin_;
  std::byte* at_;
  std::byte* end_;
  std::vector<Hole>* holes_;
};

}  // namespace braid::protocol
