#pragma once

#include <string_view>

namespace braid::broker {

/// "0.1.0"
std::string_view version();
/// First digits of the commit that was built, or "unknown" where there is no repository.
std::string_view revision();

}  // namespace braid::broker
