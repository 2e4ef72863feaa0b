#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "protocol/base/result.h"
#include "storage/commitlog/consume_queue.h"
#include "storage/commitlog/consume_queue_files.h"
#include "storage/commitlog/log_scan.h"
#include "storage/commitlog/replay.h"
#include "storage/commitlog/shard_state.h"
#include "storage/types.h"

namespace braid::storage {

/// Builds queues anew from the log and writes their units over those in their files, a piece of the log at a time,
/// while the partitions go on: a read met a unit that leads nowhere. One look at the log serves all of them.
///
/// Made by the lane; steps are maintenance's, one at a time. A cut of a partition makes its part worthless: the lane
/// then drops it before anything else is written to the queue's files.
class QueueRebuild {
 public:
  struct Queue {
    PartitionId partition;
    std::shared_ptr<const PartitionIdentity> identity;
    std::uint32_t indexing = 0;
    Offset begin;      // units [begin, end) are in the files
    Offset end;        // and of entries in
    LogPosition from;  // [from, the options' to) of the log
  };
  struct Options {
    std::uint32_t seed = 0;
    TagSource tags;
    LogPosition to;
  };
  /// `files` outlives it; `existing` are the log's. At least one queue, no partition twice.
  QueueRebuild(FileSystem& files, LogGeometry geometry, std::set<LogPosition> existing, Options options,
               std::vector<Queue> queues);

  /// Lane, between steps: leaves out the partitions that were cut or removed since, and says which.
  std::vector<PartitionId> drop_stale();
  bool done() const { return at_ >= options_.to || targets_.empty(); }
  /// The next piece. After an error it may be tried again.
  Result<void> step(ConsumeQueueFiles& queues);
  /// All that are in it. Lane, between steps.
  std::vector<Queue> queues() const;

 private:
  struct Target {
    Queue of;
    std::uint64_t generation = 0;
    ConsumeQueue queue;
  };

  Target* find(const EntryHeader& header);
  void take(const LogScan::Found& found);
  void append(Target& to, const LogScan::Found& found);
  Result<void> write_out(ConsumeQueueFiles& queues, Target& target);

  const LogGeometry geometry_;
  const Options options_;
  LogScan scan_;
  LogPosition at_;
  std::uint32_t incarnation_ = 0;
  std::vector<Target> targets_;  // by topic and queue
};

}  // namespace braid::storage
