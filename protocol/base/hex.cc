#include "protocol/base/hex.h"

namespace braid::protocol {
namespace {

constexpr int kNoDigit = -1;

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return kNoDigit;
}

}  // namespace

std::string to_hex(ByteView bytes) {
  std::string text;
  append_hex(bytes, text);
  return text;
}

void append_hex(ByteView bytes, std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  text.reserve(text.size() + 2 * bytes.size());
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    text.push_back(kDigits[value >> 4]);
    text.push_back(kDigits[value & 0xf]);
  }
}

Result<Bytes> from_hex(std::string_view text) {
  Bytes bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\n') {
      ++i;
      continue;
    }
    const int high = digit_value(text[i]);
    const int low = i + 1 < text.size() ? digit_value(text[i + 1]) : kNoDigit;
    if (high == kNoDigit || low == kNoDigit) return make_error_code(Errc::not_hex);
    bytes.push_back(static_cast<std::byte>(high << 4 | low));
    i += 2;
  }
  return bytes;
}

}  // namespace braid::protocol
