#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/commitlog/consume_queue_format.h"
#include "storage/commitlog/open_files.h"
#include "storage/commitlog/shard_reading.h"
#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"
#include "storage/inspect/log_source.h"

namespace braid::storage {

struct QueueCounts {
  std::uint64_t queues = 0;
  std::uint64_t units = 0;
  std::uint64_t times = 0;
};

/// Checks queues, in files and in the checkpoint, against the entries' headers. What the store changes meanwhile is no
/// damage: a queue with findings is looked at again with what files say then. One thread.
class QueueVerification {
 public:
  /// The shard as its files say now; null when they can't be read.
  using Read = std::function<std::unique_ptr<ShardReading>()>;

  /// All outlive it. `shard` is the shard's directory in `files`.
  QueueVerification(FileSystem& files, const LogSource& source, const std::string& shard, Read read,
                    InspectOutput& out);

  void run(const ShardReading& reading);
  const QueueCounts& counts() const { return counts_; }

 private:
  using Findings = std::vector<InspectFinding>;

  Findings check_queue(const ShardPartition& partition);
  void check_again(const ShardPartition& partition, Findings first);
  void check_units(const ShardPartition& partition, Findings& findings);
  void check_times(const ShardPartition& partition, Findings& findings);
  void check_memory(const ShardPartition& partition, Findings& findings);
  bool check_owner(const ShardPartition& partition, Findings& findings);
  /// What is wrong with units [begin, end) that say the same; empty: nothing.
  std::string entry_fault(const PartitionIdentity& identity, Offset begin, Offset end, const QueueUnit& unit);
  void note_stale_directories(const ShardState& state);
  std::string queue_path(const PartitionIdentity& identity) const;

  FileSystem& files_;
  const LogSource& source_;
  const std::string queues_;  // the directory of all queues
  const Read read_;
  InspectOutput& out_;
  OpenFiles log_files_;
  LogPosition log_end_;
  bool stands_still_ = false;  // the store did not move between two looks: it is not running
  QueueCounts counts_;
};

}  // namespace braid::storage
