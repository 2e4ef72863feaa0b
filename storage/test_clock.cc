#include "storage/test_clock.h"

namespace braid::storage {

protocol::Instant TestClock::now() const { return std::chrono::steady_clock::now(); }

protocol::WallTime TestClock::wall_now() const {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count()};
}

}  // namespace braid::storage
