#pragma once

#include <string>
#include <string_view>

#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"
#include "storage/types.h"

namespace braid::storage {

struct WhereInspection {
  InspectFormat format = InspectFormat::kText;
  std::string topic;
  QueueId partition;
  Offset offset;
};

/// Follows one offset to its bytes: partition, unit of the queue, entry of the log, batch, record, each with file and
/// byte. `path` is a data directory or a shard's ("" is the root of `files`). What doesn't fit on the way is a finding,
/// and the rest is shown as far as it goes.
InspectSummary inspect_where(FileSystem& files, std::string_view path, const WhereInspection& options,
                             InspectSink& sink);

}  // namespace braid::storage
