#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/partition/ack_queue.h"
#include "broker/partition/deadlines.h"
#include "broker/partition/partition.h"
#include "broker/partition/producer_keeper.h"
#include "broker/runtime/lane.h"
#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "storage/log_store.h"
#include "storage/store_threads.h"

namespace braid::broker {

/// Tries again when the store may have room. The lane's.
class RoomWaiter {
 public:
  virtual ~RoomWaiter() = default;
  /// True: it got what it wanted, or gave up; false: it goes on waiting, and those behind it.
  virtual bool try_again() = 0;
};

/// A store with its threads, and the partitions in it: where offsets are given, and where high watermarks move. All of
/// it is the lane's.
class Shard {
 public:
  /// All outlive it. `failed` is called once, when the store can acknowledge nothing any more: the process should end.
  /// Producers are forgotten when they were silent for `producer_expiration_ms`.
  Shard(Lane& lane, storage::LogStore& store, const protocol::Clock& clock, std::int64_t producer_expiration_ms,
        std::function<void()> failed);
  ~Shard();

  Lane& lane() { return lane_; }
  storage::LogStore& store() { return store_; }
  const protocol::Clock& clock() const { return clock_; }

  /// Starts the store's threads. Until then it is not on any loop, and the caller acts as the lane.
  void start();
  /// No append follows. Everything appended is durable when it returns, unless the store has failed; waits for the
  /// disk.
  void stop();

  // -- partitions

  /// One that the store has. Its high watermark is its end: what is found at a start is durable. What is known of its
  /// producers is read again, which waits for the disk.
  Partition& open(storage::PartitionId stored, std::string topic_name, std::shared_ptr<const TopicSettings> settings);
  /// not_yet, disk_full, failed, partition_exists.
  protocol::Result<storage::LogPosition> create(const storage::PartitionSpec& spec,
                                                std::shared_ptr<const TopicSettings> settings);
  protocol::Result<storage::LogPosition> remove(Partition& partition);
  /// Null when there is none.
  Partition* find(const storage::TopicId& topic, std::int32_t index);
  storage::PartitionView view(const Partition& partition) const { return store_.view(partition.place().stored); }
  std::size_t partition_count() const { return partition_count_; }
  std::vector<Partition*> partitions();
  /// Of all topics, the removed and the unknown ones too.
  TopicCounters& counters() { return counters_; }
  /// Those of the partition that were not silent too long.
  ProducerTable& producers(Partition& partition, protocol::WallTime now) {
    producer_keeper_.expire(partition, now);
    return partition.producers();
  }

  // -- appending

  /// The batch is valid, the reservation suffices. Its records become visible when they are as durable as the topic
  /// asks.
  storage::Appended append(Partition& partition, protocol::ByteView batch, protocol::WallTime now,
                           storage::Reservation& reservation);
  /// Moves the log start; visible when it is synced. offset_out_of_range, not_yet, disk_full, failed.
  protocol::Result<storage::LogPosition> trim(Partition& partition, storage::Offset start);

  // -- waiting

  /// `waiter` lives until it is told: behind all that waits already, also where that is further on in the log.
  void await(storage::Durability durability, storage::LogPosition position, AckWaiter& waiter);
  /// The log is as durable as asked up to there. False: the store failed. On the lane.
  boost::asio::awaitable<bool> reached(storage::Durability durability, storage::LogPosition position);
  /// Behind those that wait already.
  void await_room(std::unique_ptr<RoomWaiter> waiter);
  bool room_is_awaited() const { return !room_waiters_.empty(); }
  std::size_t room_waiter_count() const { return room_waiters_.size(); }
  /// The log has come further, or a chore is done: what was not possible may be now. On the lane.
  boost::asio::awaitable<void> moved();
  Deadlines& deadlines() { return deadlines_; }

  /// At the end of this turn the writer is told that something was appended. append() does so itself.
  void tell_writer_soon();
  bool failed() const { return failed_; }

  // -- what is counted

  struct LogFigures {
    storage::LogPosition appended;
    storage::Progress progress;
    storage::StoreThreads::GroupCounts groups;
    storage::DurationHistogram::Counts appends_us;
  };
  LogFigures log_figures() const;

 private:
  void turn();
  void advance(AckQueue& queue, storage::LogPosition reached);
  void handle(const AckQueue::Entry& entry, bool reached);
  void fail();
  void retry_room_waiters();
  void wake_moved();
  void bury();
  AckQueue& queue_of(storage::Durability durability) {
    return durability == storage::Durability::kSynced ? synced_queue_ : written_queue_;
  }

  struct Grave {
    std::unique_ptr<Partition> partition;
    storage::LogPosition position;  // entries that name it are before it
  };
  struct TopicIdHash {
    std::size_t operator()(const storage::TopicId& id) const;
  };
  struct Topic {
    std::vector<std::unique_ptr<Partition>> by_index;  // null: none
    std::shared_ptr<TopicCounters> counters = std::make_shared<TopicCounters>();
  };
  class Told;
  class SyncDue;

  void sync_by(Partition& partition, std::chrono::milliseconds interval);

  Lane& lane_;
  storage::LogStore& store_;
  const protocol::Clock& clock_;
  const std::function<void()> on_failure_;
  std::unique_ptr<storage::StoreThreads> threads_;
  boost::unordered_flat_map<storage::TopicId, Topic, TopicIdHash> topics_;
  std::size_t partition_count_ = 0;
  std::deque<Grave> graves_;
  ProducerKeeper producer_keeper_;
  Deadlines deadlines_;
  AckQueue written_queue_;
  AckQueue synced_queue_;
  std::deque<std::unique_ptr<RoomWaiter>> room_waiters_;
  std::vector<Told*> moved_waiters_;
  TopicCounters counters_;
  storage::DurationHistogram appends_us_{storage::kDurationFirstEndUs};
  storage::LogPosition appended_;  // the end of what was appended last
  bool writer_told_soon_ = false;
  bool failed_ = false;
};

}  // namespace braid::broker
