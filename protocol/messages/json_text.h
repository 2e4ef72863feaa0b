#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"
#include "protocol/messages/entity.h"
#include "protocol/messages/error_code.h"

namespace braid::protocol {

/// Writes compact JSON at the end of a string: commas and quotes are its business, balanced begin and end the caller's.
/// For tools and tests.
class JsonText {
 public:
  explicit JsonText(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  void null() { raw("null"); }

  void value(bool flag) { raw(flag ? "true" : "false"); }
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  void value(Integer number) {
    raw(std::to_string(number));
  }
  /// The shortest text that reads back the same, with a point or exponent; infinities and NaN, which JSON lacks, as
  /// strings.
  void value(double number);
  /// Bytes that are no UTF-8 become U+FFFD.
  void value(std::string_view text);
  /// Lower-case hexadecimal digits.
  void value(ByteView bytes);
  void value(const Uuid& uuid) { value(std::string_view(to_text(uuid))); }
  void value(BrokerId id) { value(id.value); }
  void value(ProducerId id) { value(id.value); }
  void value(ErrorCode code) { value(static_cast<std::int16_t>(code)); }

 private:
  void open(char bracket);
  void close(char bracket);
  void raw(std::string_view text);
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace braid::protocol
