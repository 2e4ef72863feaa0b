#include "protocol/wire/writer.h"

#include <source_location>

#include "protocol/base/check.h"
#include "protocol/wire/varint.h"

namespace braid::protocol {

void Writer::uuid(const Uuid& uuid) { bytes(std::as_bytes(std::span(uuid.bytes))); }

template <class Unsigned>
void Writer::variable(Unsigned value) {
  while (value >= 0x80) {
    u8(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  u8(static_cast<std::uint8_t>(value));
}

template void Writer::variable(std::uint32_t);
template void Writer::variable(std::uint64_t);

void Writer::varint(std::int32_t value) { variable(zigzag_encode(value)); }
void Writer::varlong(std::int64_t value) { variable(zigzag_encode(value)); }

void Writer::bytes(ByteView value) {
  if (value.empty()) return;
  need(value.size());
  std::memcpy(at_, value.data(), value.size());
  at_ += value.size();
}

void Writer::external(ByteView value) {
  if (holes_ == nullptr) return bytes(value);
  if (!value.empty()) holes_->push_back({position(), value});
}

void Writer::overflow() {
  check_failed("a writer went past the size computed for it", std::source_location::current());
}

}  // namespace braid::protocol
