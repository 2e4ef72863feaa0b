#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/base/arena.h"

namespace braid::protocol {

/// Longest line: the hexadecimal digits of a 32 MiB message. Larger messages differ from smaller ones in nothing that
/// this program looks at.
inline constexpr std::size_t kRecodeLineBytesMax = 64 * 1024 * 1024;

/// Content of one batch that is looked at: 1,000 times what a small line can hold compressed, and bounded all the same.
inline constexpr std::size_t kRecodeBatchContentBytesMax = 64 * 1024 * 1024;

/// The answer to one line of input, newlines included: one line, or one for each batch and record. Never fails: what is
/// wrong with the line is the answer ("error REASON").
std::string answer(std::string_view line, Arena& arena);

/// "error REASON" and a newline.
std::string error_line(std::string_view reason);

/// What --list prints: a line for each API, data structure and header.
std::string message_list();

/// What --help prints.
std::string_view help_text();

}  // namespace braid::protocol
