#include "storage/inspect/json_row.h"

#include <array>
#include <cstdio>

#include "protocol/base/hex.h"
#include "protocol/base/utf8.h"

namespace braid::storage {

std::string json_string(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t length = protocol::utf8_sequence_bytes(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0) {
      json += "\xEF\xBF\xBD";
    } else if (first == '"' || first == '\\') {
      json += '\\';
      json += static_cast<char>(first);
    } else if (first < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", unsigned{first});
      json += escape.data();
    } else {
      json += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return json + "\"";
}

void JsonRow::text(std::string_view key, std::string_view value) { member(key, json_string(value)); }

void JsonRow::bytes(std::string_view key, protocol::ByteView value) {
  const std::string_view seen = protocol::as_text(value);
  if (protocol::is_utf8(seen)) return text(key, seen);
  member(std::string(key) + "_hex", "\"" + protocol::to_hex(value) + "\"");
}

void JsonRow::member(std::string_view key, std::string_view json) {
  body_ += body_.empty() ? "{" : ",";
  body_ += "\"";
  body_ += key;
  body_ += "\":";
  body_ += json;
}

}  // namespace braid::storage
