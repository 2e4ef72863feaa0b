#include "protocol/messages/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "protocol/base/hex.h"

namespace braid::protocol {
namespace {

/// Length of the UTF-8 sequence at the start of `text`, or 0 if there is none (also for overlong forms, surrogates and
/// above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned char second_min = 0x80, second_max = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) second_min = 0xa0;
    if (first == 0xed) second_max = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) second_min = 0x90;
    if (first == 0xf4) second_max = 0x8f;
  }
  if (length == 0 || text.size() < length) return 0;
  if (byte(1) < second_min || byte(1) > second_max) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

void append_control(unsigned char control, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u00";
  out += kDigits[control >> 4];
  out += kDigits[control & 0x0f];
}

}  // namespace

void JsonText::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

void JsonText::raw(std::string_view text) {
  separate();
  out_ += text;
}

void JsonText::open(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
}

void JsonText::close(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
}

void JsonText::key(std::string_view name) {
  value(name);
  out_ += ':';
  needs_comma_ = false;
}

void JsonText::value(double number) {
  if (std::isnan(number)) return value(std::string_view("NaN"));
  if (std::isinf(number)) return value(std::string_view(number > 0 ? "Infinity" : "-Infinity"));
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  if (error != std::errc{}) return null();  // 32 characters hold every double
  const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  raw(digits);
  if (digits.find_first_of(".e") == std::string_view::npos) out_ += ".0";
}

void JsonText::value(std::string_view text) {
  separate();
  out_ += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char first = text.front();
    if (length == 0) {
      out_ += "\xEF\xBF\xBD";
    } else if (first == '"' || first == '\\') {
      out_ += '\\';
      out_ += first;
    } else if (static_cast<unsigned char>(first) < 0x20) {
      append_control(static_cast<unsigned char>(first), out_);
    } else {
      out_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out_ += '"';
}

void JsonText::value(ByteView bytes) {
  separate();
  out_ += '"';
  append_hex(bytes, out_);
  out_ += '"';
}

}  // namespace braid::protocol
