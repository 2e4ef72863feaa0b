#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "protocol/base/clock.h"

namespace braid::storage {

/// Where one thread sleeps until others have something for it. A ring is never lost, and costs a system call only when
/// it wakes somebody: while the sleeper is awake, or was rung for already, it is one exchange.
///
///     sleeper:  look(); found nothing to do? sleep(); and again
///     others:   give it something to do; ring()
class Doorbell {
 public:
  /// Any thread. True: the sleeper was asleep and is woken.
  bool ring() {
    if (state_.exchange(State::kRung) != State::kAsleep) return false;
    {
      const std::lock_guard lock(mutex_);
    }  // who falls asleep holds it until it can be woken
    rung_.notify_one();
    return true;
  }

  /// The sleeper, before it looks for something to do: what is rung for later keeps it from sleeping.
  void look() { state_.exchange(State::kLooking); }

  /// The sleeper, when it found nothing: until the next ring, or `until`. Returns at once after a ring since look().
  void sleep(std::optional<protocol::Instant> until) {
    std::unique_lock lock(mutex_);
    State looking = State::kLooking;
    if (!state_.compare_exchange_strong(looking, State::kAsleep)) return;
    const auto is_rung = [this] { return state_.load() == State::kRung; };
    if (until) {
      rung_.wait_until(lock, *until, is_rung);
    } else {
      rung_.wait(lock, is_rung);
    }
  }

 private:
  enum class State : std::uint8_t { kLooking, kRung, kAsleep };

  std::atomic<State> state_{State::kLooking};
  std::mutex mutex_;  // guards falling asleep
  std::condition_variable rung_;
};

}  // namespace braid::storage
