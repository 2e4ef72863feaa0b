#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braid::protocol {

/// Bytes of the UTF-8 sequence that `text` begins with, 1 to 4; 0 when it begins with none: an empty text, a cut or
/// overlong form, a surrogate, a value above U+10FFFF.
std::size_t utf8_sequence_bytes(std::string_view text);

/// Sequences from begin to end; so is an empty text.
bool is_utf8(std::string_view text);

/// `code_point` is at most U+10FFFF and no surrogate.
void append_utf8(char32_t code_point, std::string& text);

}  // namespace braid::protocol
