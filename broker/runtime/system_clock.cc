#include "broker/runtime/system_clock.h"

#include <chrono>

namespace braid::broker {

protocol::Instant SystemClock::now() const { return std::chrono::steady_clock::now(); }

protocol::WallTime SystemClock::wall_now() const {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count()};
}

}  // namespace braid::broker
