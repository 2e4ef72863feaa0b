#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "broker/config/properties.h"
#include "protocol/base/check.h"

namespace braid::broker {
namespace {

/// A property in a form that every reader of the syntax takes alike: each character that could mean something is
/// escaped.
void append_escaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\f':
        out += "\\f";
        break;
      case ' ':
      case '\\':
      case '=':
      case ':':
      case '#':
      case '!':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
}

std::string written(const PropertiesText& text) {
  std::string out = "#\n";  // so that no key is taken for a byte order mark
  for (const Property& property : text.properties) {
    append_escaped(property.key, out);
    out += '=';
    append_escaped(property.value, out);
    out += '\n';
  }
  return out;
}

/// The oracle: what was read, written and read again is the same.
void read_write_read(std::string_view input) {
  const PropertiesText once = parse_properties(input);
  const PropertiesText twice = parse_properties(written(once));
  protocol::check(!twice.fault.has_value(), "what we escape, we read");
  protocol::check(twice.properties.size() == once.properties.size(), "no property is lost or made");
  for (std::size_t i = 0; i < once.properties.size(); ++i) {
    protocol::check(twice.properties[i].key == once.properties[i].key, "a key comes back");
    protocol::check(twice.properties[i].value == once.properties[i].value, "a value comes back");
  }
}

}  // namespace
}  // namespace braid::broker

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::broker::read_write_read({reinterpret_cast<const char*>(data), size});
  return 0;
}
