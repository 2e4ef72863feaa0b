#include "protocol/base/utf8.h"

#include <cstdint>

namespace braid::protocol {
namespace {

constexpr char32_t kCodePointMax = 0x10FFFF;

/// Bytes of the sequence that `lead` begins; 0 when it can't begin one.
std::size_t announced_bytes(std::uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

char32_t least_code_point(std::size_t bytes) { return bytes == 3 ? 0x800 : bytes == 4 ? 0x10000 : 0; }

/// `text` begins with one character of `bytes` bytes, two at least; the first of them is a valid lead.
bool begins_with_character(std::string_view text, std::size_t bytes) {
  if (text.size() < bytes) return false;
  char32_t code_point = static_cast<std::uint8_t>(text[0]) & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if ((byte & 0xC0U) != 0x80) return false;
    code_point = code_point << 6 | (byte & 0x3FU);
  }
  const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
  return code_point >= least_code_point(bytes) && code_point <= kCodePointMax && !surrogate;
}

char continuation(char32_t code_point, unsigned shift) {
  return static_cast<char>(0x80 | (code_point >> shift & 0x3F));
}

}  // namespace

std::size_t utf8_sequence_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const std::size_t bytes = announced_bytes(static_cast<std::uint8_t>(text.front()));
  return bytes < 2 || begins_with_character(text, bytes) ? bytes : 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = utf8_sequence_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

void append_utf8(char32_t code_point, std::string& text) {
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0 | code_point >> 6);
    text += continuation(code_point, 0);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0 | code_point >> 12);
    text += continuation(code_point, 6);
    text += continuation(code_point, 0);
  } else {
    text += static_cast<char>(0xF0 | code_point >> 18);
    text += continuation(code_point, 12);
    text += continuation(code_point, 6);
    text += continuation(code_point, 0);
  }
}

}  // namespace braid::protocol
