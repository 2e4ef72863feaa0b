#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include <boost/system/error_code.hpp>

#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "storage/counted_histogram.h"
#include "storage/doorbell.h"
#include "storage/log_store.h"

namespace braid::storage {

/// The two threads that a LogStore needs besides its lane: the writer, which writes and syncs what was appended, and
/// maintenance, which does the chores. The lane is a loop of somebody else's; it is told when it should call turn().
///
///     lane                       writer                       maintenance
///     append …, appended() ────► write_out(): one group
///     turn()  ◄───────────────── tell_lane, once a group
///       next_chore() ────────────────────────────────────────► run()
///     turn()  ◄─────────────────────────────────────────────── tell_lane
///       finish()
///
/// While a group is on its way the next gathers: nobody waits on purpose, no timer is on the way to an acknowledgement,
/// and a wake-up is paid for only by who finds the other asleep (docs/decisions/store_threads.md).
///
/// Made, used and stopped on the lane.
class StoreThreads {
 public:
  /// `store` and `clock` outlive it. `tell_lane` is called by either thread, may not wait, and makes the lane call
  /// turn() soon; it is not called again before a turn has begun. One that was asked for may come after stop().
  StoreThreads(LogStore& store, const protocol::Clock& clock, std::function<void()> tell_lane);
  /// Stops if that was not done.
  ~StoreThreads();
  StoreThreads(const StoreThreads&) = delete;
  StoreThreads& operator=(const StoreThreads&) = delete;

  /// After appends, control operations or request_sync: once for all of a turn is enough.
  void appended();

  /// When told: finishes the chore that is done, hands out the next one. What the store's progress() says now is news.
  /// An error is the store's end, said again by each turn: nothing more will be acknowledged, the process should end.
  Result<void> turn();

  /// Ends both threads when the chore that is out is finished and all that was appended is written (not synced: that is
  /// the store's close()). After it no other thread is in the store, and turn() does nothing. An error as of turn().
  Result<void> stop();

  struct Counts {
    std::uint64_t groups = 0;          // steps of the writer that found work
    std::uint64_t writer_wakeups = 0;  // by system calls
    std::uint64_t lane_notices = 0;    // calls of tell_lane
    std::uint64_t chores = 0;
  };
  Counts counts() const;

  /// What the writer's groups were like, since the start; any thread.
  struct GroupCounts {
    SizeHistogram::Counts bytes;
    DurationHistogram::Counts written_us;  // groups without a sync
    DurationHistogram::Counts synced_us;   // groups, or nothing, and a sync
  };
  GroupCounts group_counts() const { return {group_bytes_.counts(), written_us_.counts(), synced_us_.counts()}; }

 private:
  enum class Hand : std::uint8_t { kEmpty, kGiven, kDone };

  void write();
  void maintain();
  Result<Step> write_and_count();
  void tell_lane();
  void take_back();
  Result<void> outcome() const;

  LogStore& store_;
  const protocol::Clock& clock_;
  const std::function<void()> tell_lane_;

  Doorbell writer_bell_;
  Doorbell maintenance_bell_;
  std::atomic<bool> lane_told_{false};
  std::atomic<bool> stopping_{false};
  // The lane's while the hand is not kGiven, maintenance's while it is.
  std::unique_ptr<Chore> chore_;
  std::atomic<Hand> hand_{Hand::kEmpty};
  // The writer's until writer_failed_.
  boost::system::error_code writer_error_;
  std::atomic<bool> writer_failed_{false};

  SizeHistogram group_bytes_{kSizeFirstEndBytes};
  DurationHistogram written_us_{kDurationFirstEndUs};
  DurationHistogram synced_us_{kDurationFirstEndUs};
  std::atomic<std::uint64_t> groups_{0};
  std::atomic<std::uint64_t> writer_wakeups_{0};
  std::atomic<std::uint64_t> lane_notices_{0};
  // The lane's.
  std::uint64_t chores_ = 0;
  std::optional<boost::system::error_code> chore_error_;

  std::thread writer_;
  std::thread maintenance_;
};

}  // namespace braid::storage
