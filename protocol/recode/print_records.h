#pragma once

#include <string>
#include <string_view>

namespace braid::protocol {

/// A line of JSON for each batch in the hexadecimal digits and, behind it, one for each of its records. Where a batch
/// ends the walk, or its content cannot be read, the line is "error REASON".
std::string print_records(std::string_view hex);

}  // namespace braid::protocol
