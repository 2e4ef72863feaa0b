#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/bytes.h"

namespace braid::storage {

/// One line of JSON: an object that is filled key by key. A key is told once, and is plain text.
class JsonRow {
 public:
  template <std::integral Integer>
  void number(std::string_view key, Integer value) {
    member(key, std::to_string(value));
  }
  void flag(std::string_view key, bool value) { member(key, value ? "true" : "false"); }
  void null(std::string_view key) { member(key, "null"); }
  /// Bytes that are no UTF-8 become U+FFFD.
  void text(std::string_view key, std::string_view value);
  /// Bytes of a user: as text under `key` when they are UTF-8, else in hexadecimal digits under `key` and "_hex".
  void bytes(std::string_view key, protocol::ByteView value);
  /// JSON as it is, such as an array.
  void member(std::string_view key, std::string_view json);

  /// The object; nothing is told afterwards.
  std::string line() const { return body_.empty() ? "{}" : body_ + "}"; }

 private:
  std::string body_;
};

/// With its quotes.
std::string json_string(std::string_view text);

}  // namespace braid::storage
