#pragma once

#include <string>
#include <string_view>

namespace braid::protocol {

/// Text from outside as a terminal and a log may show it: control characters, and all bytes above 0x7F of what is not
/// UTF-8, become \xNN.
std::string printable(std::string_view text);

}  // namespace braid::protocol
