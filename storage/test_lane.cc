#include "storage/test_lane.h"

#include "storage/test_clock.h"

namespace braid::storage {

bool TestLane::turn_until(StoreThreads& threads, const std::function<bool()>& condition) {
  const TestClock clock;
  const auto deadline = clock.now() + std::chrono::seconds(30);
  while (true) {
    if (condition()) return true;
    if (clock.now() > deadline) return false;
    wait_a_little();
    if (told() && threads.turn().has_error()) return condition();
  }
}

}  // namespace braid::storage
