#pragma once

namespace braid::broker {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;  // bad command line or configuration

}  // namespace braid::broker
