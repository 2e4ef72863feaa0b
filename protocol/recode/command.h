#pragma once

#include <string>
#include <string_view>

#include "protocol/base/arena.h"

namespace braid::protocol {

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
