#include "storage/store_threads.h"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"

namespace braid::storage {
namespace {

/// What `top -H` shows; at most fifteen characters. A thread without its name works as well.
void name_this_thread(const char* name) { static_cast<void>(::pthread_setname_np(::pthread_self(), name)); }

}  // namespace

StoreThreads::StoreThreads(LogStore& store, const protocol::Clock& clock, std::function<void()> tell_lane)
    : store_(store),
      clock_(clock),
      tell_lane_(std::move(tell_lane)),
      writer_([this] { write(); }),
      maintenance_([this] { maintain(); }) {}

StoreThreads::~StoreThreads() {
  static_cast<void>(stop());  // whoever wants to know how it ended calls stop() itself
}

void StoreThreads::appended() {
  if (writer_bell_.ring()) writer_wakeups_.fetch_add(1, std::memory_order_relaxed);
}

Result<void> StoreThreads::turn() {
  // Before anything is looked at: what happens from here on asks for a turn of its own.
  lane_told_.exchange(false);
  if (stopping_.load()) return outcome();
  take_back();
  if (hand_.load() == Hand::kEmpty) {
    chore_ = store_.next_chore(clock_.now());
    if (chore_ != nullptr) {
      ++chores_;
      hand_.store(Hand::kGiven);
      maintenance_bell_.ring();
    }
  }
  if (store_.wants_write_out()) appended();
  return outcome();
}

Result<void> StoreThreads::stop() {
  if (!stopping_.exchange(true)) {
    maintenance_bell_.ring();
    maintenance_.join();
    writer_bell_.ring();
    writer_.join();
  }
  take_back();
  return outcome();
}

StoreThreads::Counts StoreThreads::counts() const {
  return {groups_.load(std::memory_order_relaxed), writer_wakeups_.load(std::memory_order_relaxed),
          lane_notices_.load(std::memory_order_relaxed), chores_};
}

void StoreThreads::write() {
  name_this_thread("braid-writer");
  while (true) {
    writer_bell_.look();
    const bool last = stopping_.load();
    const auto step = write_and_count();
    if (step.has_error()) {
      writer_error_ = step.error();
      writer_failed_.store(true);
      return tell_lane();
    }
    if (*step == Step::kWorked) {
      groups_.fetch_add(1, std::memory_order_relaxed);
      tell_lane();
      continue;
    }
    if (last) return;
    writer_bell_.sleep(store_.next_write_out());
  }
}

Result<Step> StoreThreads::write_and_count() {
  const Progress before = store_.progress();
  const protocol::Instant began = clock_.now();
  auto step = store_.write_out(began);
  if (step.has_error() || *step != Step::kWorked) return step;
  const Progress after = store_.progress();
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(clock_.now() - began);
  group_bytes_.count(static_cast<std::uint64_t>(after.written.value - before.written.value));
  (after.synced > before.synced ? synced_us_ : written_us_).count(static_cast<std::uint64_t>(took.count()));
  return step;
}

void StoreThreads::maintain() {
  name_this_thread("braid-maint");
  tell_lane();  // a first turn, for what the opening left to do
  while (true) {
    maintenance_bell_.look();
    const bool last = stopping_.load();
    if (hand_.load() == Hand::kGiven) {
      chore_->run();
      hand_.store(Hand::kDone);
      tell_lane();
      continue;
    }
    if (last) return;
    maintenance_bell_.sleep(clock_.now() + std::chrono::milliseconds(protocol::kMaintenanceTickMs));
    // What is due by time, as a mark on an idle log, is found by the lane's next look. With a chore out it comes
    // anyway.
    if (hand_.load() == Hand::kEmpty) tell_lane();
  }
}

void StoreThreads::tell_lane() {
  if (lane_told_.exchange(true)) return;
  lane_notices_.fetch_add(1, std::memory_order_relaxed);
  tell_lane_();
}

/// A chore that is done.
void StoreThreads::take_back() {
  if (hand_.load() != Hand::kDone) return;
  hand_.store(Hand::kEmpty);
  const auto finished = store_.finish(std::move(chore_));
  if (finished.has_error()) chore_error_ = finished.error();
}

Result<void> StoreThreads::outcome() const {
  if (chore_error_) return *chore_error_;
  if (writer_failed_.load()) return writer_error_;
  return protocol::ok();
}

}  // namespace braid::storage
