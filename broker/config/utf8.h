#pragma once

#include <string>
#include <string_view>

namespace braid::broker {

/// Well-formed: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

/// Each byte is one character, as Latin-1 has it.
std::string latin1_to_utf8(std::string_view text);

/// `code_point` is at most U+10FFFF and no surrogate.
void append_utf8(char32_t code_point, std::string& text);

}  // namespace braid::broker
