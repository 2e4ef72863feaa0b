#pragma once

#include <cstdint>
#include <optional>

#include "protocol/base/clock.h"

namespace braid::broker {

/// Limits log lines that outsiders can cause: kLogBurstLines at once, then kLogLinesPerSecond. Time is a parameter. One
/// thread.
class LogRate {
 public:
  /// Whether a line may be written now; if so, how many were left out since the last one.
  std::optional<std::int64_t> admit(protocol::Instant now);

 private:
  std::int64_t used_lines_ = 0;  // of the burst
  std::int64_t left_out_ = 0;    // since the last admitted line
  protocol::Instant refilled_at_{};
};

}  // namespace braid::broker
