#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid::broker {

/// One key and its value, escapes resolved, in UTF-8.
struct Property {
  std::string key;
  std::string value;
  std::size_t line = 0;  // where its logical line begins, from 1
};

/// Why a text is no properties file.
struct PropertiesFault {
  std::size_t line = 0;
  std::string reason;
};

struct PropertiesText {
  std::vector<Property> properties;  // in the file's order; a key may come twice, the last one counts
  std::optional<PropertiesFault> fault;
};

/// Reads Java's properties syntax: comments (# or !), `=`, `:` or blanks between key and value, lines continued by a
/// backslash, the escapes \t \n \r \f \uXXXX, and any other escaped character as itself.
///
/// Text that is UTF-8 is taken as such; anything else is Latin-1, as Java reads it. Reading stops at a malformed \u
/// escape, and does not begin where a NUL says that it is another encoding, or no text. Pure; the result owns its
/// texts.
PropertiesText parse_properties(std::string_view text);

}  // namespace braid::broker
