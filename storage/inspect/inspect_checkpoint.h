#pragma once

#include <string_view>

#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"

namespace braid::storage {

/// Both checkpoint slots of a data directory or a shard's ("" is the root of `files`), and all that the one says that
/// counts: partitions, what of each log file is whose, and removed partitions that may still have a directory.
InspectSummary inspect_checkpoint(FileSystem& files, std::string_view path, InspectFormat format, InspectSink& sink);

}  // namespace braid::storage
