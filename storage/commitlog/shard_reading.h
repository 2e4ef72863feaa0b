#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "protocol/base/result.h"
#include "storage/commitlog/identity.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/recovery_report.h"
#include "storage/commitlog/replay.h"
#include "storage/commitlog/shard_state.h"
#include "storage/env/file_system.h"
#include "storage/types.h"

namespace braid::storage {

struct RecoveryOptions {
  Identity identity;
  TagSource tags;
  bool from_log_only = false;  // as if there were no checkpoint: everything derived is built anew
};

/// The first positions of the log files in "commitlog".
Result<std::set<LogPosition>> find_log_files(FileSystem& files, const LogGeometry& geometry);

/// The log's files are too short to have been synced up to `position`.
bool log_ends_before(FileSystem& files, const LogGeometry& geometry, const std::set<LogPosition>& existing,
                     LogPosition position);

/// A shard as its files say it is, before anything is done about them.
struct ShardReading {
  ShardState state;
  LogPosition end;
  LogPosition synced;                     // proven; above `end` where synced bytes are lost
  std::uint64_t checkpoint_sequence = 0;  // of the newest slot, used or not
  int checkpoint_slot = 1;                // that is used; the newest where none is
  std::optional<int> unchecked_slot;      // of which only the header was read
};

/// Rules 2 to 4 of docs/storage.md: the newest checkpoint that is of use, and all that the log says behind it. Changes
/// no file; adds what it finds to `report`. StorageErrc::foreign for an entry of a newer program.
Result<ShardReading> read_shard(FileSystem& files, const RecoveryOptions& options,
                                const std::set<LogPosition>& existing, RecoveryReport& report);

}  // namespace braid::storage
