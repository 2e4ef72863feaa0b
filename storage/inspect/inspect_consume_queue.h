#pragma once

#include <cstdint>
#include <string_view>

#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"

namespace braid::storage {

struct QueueInspection {
  InspectFormat format = InspectFormat::kText;
  std::int64_t first_index = 0;
  std::int64_t rows_max = INT64_MAX;
};

/// The units of a consume queue, ours or RocketMQ's: one file, or the directory of one queue ("" is the root of
/// `files`). A row a unit: {"index":0,"position":4096,"size":160,"tag_hash":2598919}. Filler and zeros are no rows; a
/// damaged unit is one, so that one sees what stands there. A file by another name than a queue's counts from 0.
///
/// A file may hold units beyond the queue's end, left from before a cut, and never holds those that are still in
/// memory.
///
/// What can't be opened or listed is a finding, like what goes wrong inside.
InspectSummary inspect_consume_queue(FileSystem& files, std::string_view path, const QueueInspection& options,
                                     InspectSink& sink);

}  // namespace braid::storage
