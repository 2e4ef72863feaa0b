#pragma once

#include <cstdint>
#include <memory>
#include <set>

#include "protocol/base/result.h"
#include "storage/commitlog/consume_queue.h"
#include "storage/commitlog/consume_queue_files.h"
#include "storage/commitlog/log_scan.h"
#include "storage/commitlog/replay.h"
#include "storage/commitlog/shard_state.h"
#include "storage/types.h"

namespace braid::storage {

/// Builds one queue anew from the log and writes its units over those in its files, a piece of the log at a time, while
/// the partition goes on: a read met a unit that leads nowhere.
///
/// Made by the lane; steps are maintenance's, one at a time. A cut of the partition makes it worthless: the lane then
/// drops it before anything else is written to the queue's files.
class QueueRebuild {
 public:
  struct Options {
    PartitionId partition;
    std::shared_ptr<const PartitionIdentity> identity;
    std::uint32_t indexing = 0;
    TagSource tags;
    Offset begin;      // units [begin, end) are in the files
    Offset end;        // and of entries in
    LogPosition from;  // [from, to) of the log
    LogPosition to;
  };
  /// `files` outlives it; `existing` are the log's.
  QueueRebuild(FileSystem& files, LogGeometry geometry, std::uint32_t seed, std::set<LogPosition> existing,
               Options options);

  PartitionId partition() const { return options_.partition; }
  /// The partition was cut or removed since.
  bool is_stale() const { return options_.identity->generation.load() != generation_; }
  bool done() const { return at_ >= options_.to; }
  /// The next piece. After an error it may be tried again.
  Result<void> step(ConsumeQueueFiles& queues);

 private:
  void take(const LogScan::Found& found);
  void append(const EntryHeader& header, const LogScan::Found& found);
  void cut(Offset end);
  Result<void> write_out(ConsumeQueueFiles& queues);

  const LogGeometry geometry_;
  const Options options_;
  const std::uint64_t generation_;
  LogScan scan_;
  LogPosition at_;
  std::uint32_t incarnation_ = 0;
  ConsumeQueue queue_;
};

}  // namespace braid::storage
