#pragma once

#include <chrono>
#include <cstdint>

namespace braid::protocol {

/// A point on the monotonic clock: for timeouts, deadlines and sessions. Never shown to a client, never stored.
using Instant = std::chrono::steady_clock::time_point;

/// Milliseconds since 1970 as records carry them; may jump either way. Never used for a timeout.
struct WallTime {
  std::int64_t milliseconds = 0;
  constexpr auto operator<=>(const WallTime&) const = default;
};

/// Where code above gets its time from; below broker/net and storage/env time is a parameter. Any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
  virtual WallTime wall_now() const = 0;
};

}  // namespace braid::protocol
