#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "storage/log_store.h"
#include "storage/types.h"

namespace braid::storage {

/// The few numbers that lane and writer share. Each has one writing thread and only grows; a number that is seen makes
/// everything before it seen too.
class LogProgress {
 public:
  explicit LogProgress(LogPosition end)
      : published_(end.value), sync_wanted_(end.value), written_(end.value), synced_(end.value) {}

  /// Lane: the tail holds whole entries up to `end`.
  void publish(LogPosition end, bool wants_sync) {
    if (wants_sync) sync_wanted_.store(end.value, std::memory_order_relaxed);
    published_.store(end.value, std::memory_order_release);
  }
  LogPosition published() const { return LogPosition{published_.load(std::memory_order_acquire)}; }
  /// Any thread: all that is published by now is to be synced.
  void want_sync() { want_sync_of_all_.store(published_.load(std::memory_order_acquire), std::memory_order_release); }
  LogPosition sync_wanted() const {
    return LogPosition{
        std::max(sync_wanted_.load(std::memory_order_relaxed), want_sync_of_all_.load(std::memory_order_acquire))};
  }
  /// Any thread: something is published that is not written, or a sync is asked for.
  bool wants_write_out() const { return published() > written() || sync_wanted() > synced(); }

  /// Writer.
  void wrote(LogPosition end) { written_.store(end.value, std::memory_order_release); }
  void synced(LogPosition end) { synced_.store(end.value, std::memory_order_release); }
  void fail() { failed_.store(true, std::memory_order_release); }

  LogPosition written() const { return LogPosition{written_.load(std::memory_order_acquire)}; }
  LogPosition synced() const { return LogPosition{synced_.load(std::memory_order_acquire)}; }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  Progress snapshot() const {
    const LogPosition synced_before = synced();
    return {written(), synced_before, failed()};
  }

 private:
  std::atomic<std::int64_t> published_;
  std::atomic<std::int64_t> sync_wanted_;
  std::atomic<std::int64_t> want_sync_of_all_{0};
  std::atomic<std::int64_t> written_;
  std::atomic<std::int64_t> synced_;
  std::atomic<bool> failed_{false};
};

}  // namespace braid::storage
