#pragma once

#include <string>
#include <string_view>

namespace braid::broker {

/// `text` as a message shows it: what is longer than kShownBytesMax is cut, and its size told.
std::string excerpt(std::string_view text);

}  // namespace braid::broker
