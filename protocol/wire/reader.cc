#include "protocol/wire/reader.h"

#include "protocol/base/limits.h"
#include "protocol/wire/varint.h"

namespace braid::protocol {

Uuid Reader::uuid() {
  Uuid uuid;
  const ByteView raw = bytes(uuid.bytes.size());
  if (!raw.empty()) std::memcpy(uuid.bytes.data(), raw.data(), raw.size());
  return uuid;
}

template <class Unsigned>
Unsigned Reader::variable() {
  constexpr std::size_t kBytesMax = sizeof(Unsigned) == 4 ? kVarintBytesMax : kVarlongBytesMax;
  Unsigned value = 0;
  for (std::size_t i = 0; i < kBytesMax; ++i) {
    const std::uint8_t byte = u8();
    value |= static_cast<Unsigned>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) return value;
  }
  fail();
  return 0;
}

std::uint32_t Reader::unsigned_varint() { return variable<std::uint32_t>(); }
std::uint64_t Reader::unsigned_varlong() { return variable<std::uint64_t>(); }
std::int32_t Reader::varint() { return zigzag_decode(variable<std::uint32_t>()); }
std::int64_t Reader::varlong() { return zigzag_decode(variable<std::uint64_t>()); }

ByteView Reader::bytes(std::size_t count) {
  if (count > remaining()) [[unlikely]] {
    fail();
    return {};
  }
  const ByteView taken(at_, count);
  at_ += count;
  return taken;
}

}  // namespace braid::protocol
