#pragma once

#include <string_view>

namespace braid::broker {

/// Prints what a command was asked for to standard output. Returns the exit code: a failure, which is said on standard
/// error, when not all of it could be written.
int print(std::string_view text);

}  // namespace braid::broker
