#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/base/result.h"
#include "storage/commitlog/recovery_report.h"
#include "storage/commitlog/shard_reading.h"
#include "storage/commitlog/shard_state.h"
#include "storage/env/file_system.h"

namespace braid::storage {

/// A shard as its files left it, ready to go on at `end`.
struct RecoveredShard {
  ShardState state;
  LogPosition end;
  protocol::Bytes last_block;      // of the log, below the end
  std::vector<LogPosition> freed;  // files that are of no use any more but still there
  std::uint64_t checkpoint_sequence = 0;
  int checkpoint_slot = 1;                    // the newest one's: the next goes into the other
  std::optional<int> unchecked_slot;          // of the checkpoint, that was not needed
  std::vector<PartitionId> unchecked_queues;  // that nobody looked into
  RecoveryReport report;
};

/// Rules 2 to 6 of docs/storage.md: finds the end of the log and all that follows from it, cuts the torn tail, writes
/// again what may be only in the page cache. Killed at any step and run again, it comes to the same. Errors: foreign,
/// and those of the machine where something must be written.
Result<RecoveredShard> recover(FileSystem& files, const RecoveryOptions& options);

/// The log says by now that there was a cut at `end`: the file that remembered it goes when nothing could be kept in
/// it.
Result<void> forget_unseen_cut(FileSystem& files, LogPosition end);

}  // namespace braid::storage
