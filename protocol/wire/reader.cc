#include "protocol/wire/reader.h"

#include "protocol/wire/varint.h"

namespace braid::protocol {

Uuid Reader::uuid() {
  Uuid uuid;
  const ByteView raw = bytes(uuid.bytes.size());
  if (!raw.empty()) std::memcpy(uuid.bytes.data(), raw.data(), raw.size());
  return uuid;
}

std::uint32_t Reader::unsigned_varint() { return read_variable<std::uint32_t>(*this); }
std::uint64_t Reader::unsigned_varlong() { return read_variable<std::uint64_t>(*this); }
std::int32_t Reader::varint() { return zigzag_decode(unsigned_varint()); }
std::int64_t Reader::varlong() { return zigzag_decode(unsigned_varlong()); }

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
