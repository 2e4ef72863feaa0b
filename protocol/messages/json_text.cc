#include "protocol/messages/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "protocol/base/hex.h"
#include "protocol/base/utf8.h"

namespace braid::protocol {
namespace {

void append_control(unsigned char control, std::string& out) {
  const auto byte = static_cast<std::byte>(control);
  out += "\\u00";
  append_hex({&byte, 1}, out);
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
    const std::size_t length = utf8_sequence_bytes(text);
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
