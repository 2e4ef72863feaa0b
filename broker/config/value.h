#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid::broker {

/// Values as they are written in a configuration; views borrow from `text`. No value: `text` is none of the type.

std::string_view trimmed(std::string_view text);

/// A whole number, with or without a sign.
std::optional<std::int64_t> parse_integer(std::string_view text);
/// A finite number.
std::optional<double> parse_number(std::string_view text);
/// true or false, in any case.
std::optional<bool> parse_boolean(std::string_view text);
/// Items between commas, spaces around them dropped; an empty text is an empty list.
std::vector<std::string_view> split_list(std::string_view text);

/// Letters of ASCII only, whatever the locale.
bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string upper_case(std::string_view text);

}  // namespace braid::broker
