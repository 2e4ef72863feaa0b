#include "protocol/base/uuid.h"

#include <cstddef>
#include <string_view>

namespace braid::protocol {

Uuid uuid_from_halves(std::uint64_t most_significant, std::uint64_t least_significant) {
  Uuid uuid;
  for (std::size_t i = 0; i < 8; ++i) {
    const unsigned shift = 56 - 8 * static_cast<unsigned>(i);
    uuid.bytes[i] = static_cast<std::uint8_t>(most_significant >> shift);
    uuid.bytes[i + 8] = static_cast<std::uint8_t>(least_significant >> shift);
  }
  return uuid;
}

std::string to_text(const Uuid& uuid) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  text.reserve(22);
  std::uint32_t bits = 0;
  unsigned bit_count = 0;
  for (const std::uint8_t byte : uuid.bytes) {
    bits = bits << 8 | byte;
    for (bit_count += 8; bit_count >= 6; bit_count -= 6) text.push_back(kAlphabet[bits >> (bit_count - 6) & 0x3f]);
  }
  text.push_back(kAlphabet[bits << (6 - bit_count) & 0x3f]);
  return text;
}

}  // namespace braid::protocol
