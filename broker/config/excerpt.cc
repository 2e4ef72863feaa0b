#include "broker/config/excerpt.h"

#include <cstddef>
#include <cstdint>

#include "protocol/base/limits.h"

namespace braid::broker {

std::string excerpt(std::string_view text) {
  if (text.size() <= protocol::kShownBytesMax) return std::string(text);
  constexpr std::size_t kLaterBytesMax = 3;  // of one character in UTF-8
  const auto in_character = [&](std::size_t at) { return (static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80U; };
  std::size_t end = protocol::kShownBytesMax;
  while (protocol::kShownBytesMax - end < kLaterBytesMax && in_character(end)) --end;
  return std::string(text.substr(0, end)) + "… (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace braid::broker
