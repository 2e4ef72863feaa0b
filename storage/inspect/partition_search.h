#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/commitlog/consume_queue_format.h"
#include "storage/env/file_system.h"
#include "storage/inspect/checkpoint_reading.h"
#include "storage/inspect/inspect.h"
#include "storage/inspect/log_source.h"
#include "storage/types.h"

namespace braid::storage {

/// A partition and where one of its offsets lies, as checkpoint and log say.
struct SoughtOffset {
  TopicId topic;
  Offset start;
  Offset end;
  /// The unit, where something other than the queue's files says it.
  std::optional<QueueUnit> unit = {};
  std::string_view said_by = {};  // the checkpoint, the log
};

/// What is asked for.
struct SoughtName {
  std::string topic;
  QueueId queue;
  Offset offset;
};

/// The partition that has this name now: from the checkpoint, if one counts, and from the log behind it, else from all
/// of the log. nullopt: none has.
std::optional<SoughtOffset> search_partition(FileSystem& files, const LogSource& source,
                                             const std::optional<CheckpointReading>& checkpoint,
                                             const SoughtName& sought, InspectOutput& out);

}  // namespace braid::storage
