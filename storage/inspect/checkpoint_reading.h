#pragma once

#include <optional>
#include <string>

#include "protocol/base/bytes.h"
#include "storage/commitlog/checkpoint.h"
#include "storage/commitlog/shard_state.h"
#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"
#include "storage/inspect/log_source.h"

namespace braid::storage {

/// A checkpoint that was read as a whole.
struct CheckpointReading {
  int slot = 0;
  CheckpointHeader header;
  ShardState state;
};

/// A slot as it lies there.
struct SlotReading {
  std::int64_t bytes = 0;
  std::string fault;  // what is wrong with it, in words; empty: nothing
  bool is_there = false;
  std::optional<CheckpointReading> checkpoint;
};

/// Where a slot lies.
std::string slot_path(const InspectedPlace& place, int slot);
/// A slot that is being written looks damaged: it is then read once more.
SlotReading read_slot(FileSystem& files, const InspectedPlace& place, const LogSource& source, int slot);
/// The one that counts: whole, and not beyond the log's files. nullopt: none.
std::optional<CheckpointReading> newest_checkpoint(FileSystem& files, const InspectedPlace& place,
                                                   const LogSource& source);
/// It says more than the log's files can hold.
bool is_beyond_log(FileSystem& files, const InspectedPlace& place, const LogSource& source, LogPosition position);

}  // namespace braid::storage
