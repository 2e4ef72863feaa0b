#include "broker/observe/log_rate.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "protocol/base/limits.h"

namespace braid::broker {

using protocol::kLogBurstLines;
using protocol::kLogLinesPerSecond;

std::optional<std::int64_t> LogRate::admit(protocol::Instant now) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now - refilled_at_).count();
  if (seconds > 0) {
    const std::int64_t refill_seconds = std::min(seconds, kLogBurstLines);  // more than a burst changes nothing
    used_lines_ = std::max<std::int64_t>(0, used_lines_ - refill_seconds * kLogLinesPerSecond);
    refilled_at_ = now;
  }
  if (used_lines_ == kLogBurstLines) {
    ++left_out_;
    return std::nullopt;
  }
  ++used_lines_;
  return std::exchange(left_out_, 0);
}

}  // namespace braid::broker
