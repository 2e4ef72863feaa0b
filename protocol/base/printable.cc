#include "protocol/base/printable.h"

#include <cstdint>

#include "protocol/base/hex.h"
#include "protocol/base/utf8.h"

namespace braid::protocol {

std::string printable(std::string_view text) {
  const bool utf8 = is_utf8(text);
  std::string shown;
  shown.reserve(text.size());
  for (const char c : text) {
    const auto code = static_cast<std::uint8_t>(c);
    if (code < 0x20 || code == 0x7F || (code >= 0x80 && !utf8)) {
      const auto byte = static_cast<std::byte>(code);
      shown += "\\x";
      append_hex({&byte, 1}, shown);
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace braid::protocol
