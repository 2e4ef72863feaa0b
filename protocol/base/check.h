#pragma once

#include <source_location>

namespace braid::protocol {

/// Ends the process with file, line and `what` on standard error.
[[noreturn]] void check_failed(const char* what, const std::source_location& where);

/// States one condition that only our own code can break; a false one aborts, in every build. What the world can do
/// wrong returns a Result instead.
inline void check(bool condition, const char* what = "a broken invariant",
                  const std::source_location& where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    check_failed(what, where);
}

}  // namespace braid::protocol
