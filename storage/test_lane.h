#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

#include "storage/store_threads.h"

namespace braid::storage {

/// A loop reduced to one flag: the test's own thread is the lane.
class TestLane {
 public:
  /// Any thread: the lane's next look at told() is true.
  void tell() {
    const std::lock_guard lock(mutex_);
    told_ = true;
    was_told_.notify_one();
  }
  bool told() {
    const std::lock_guard lock(mutex_);
    return std::exchange(told_, false);
  }
  void wait_a_little() {
    std::unique_lock lock(mutex_);
    was_told_.wait_for(lock, std::chrono::milliseconds(20), [this] { return told_; });
  }
  /// Turns whenever told, until `condition` holds or a turn fails; false after half a minute.
  bool turn_until(StoreThreads& threads, const std::function<bool()>& condition);

 private:
  std::mutex mutex_;
  bool told_ = false;
  std::condition_variable was_told_;
};

}  // namespace braid::storage
