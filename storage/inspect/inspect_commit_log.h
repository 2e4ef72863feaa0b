#pragma once

#include <cstdint>
#include <string_view>

#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"
#include "storage/types.h"

namespace braid::storage {

struct LogInspection {
  InspectFormat format = InspectFormat::kText;
  LogPosition from = {};                    // entries that begin here or behind it
  LogPosition to = LogPosition{INT64_MAX};  // exclusive
  std::uint64_t rows_max = UINT64_MAX;
};

/// The entries of a log, a row each: of a data directory, a shard's, a folder of log files, or one file ("" is the root
/// of `files`). Where no entry can be read there is a finding, and the rows go on at the next. A torn end is a note.
InspectSummary inspect_commit_log(FileSystem& files, std::string_view path, const LogInspection& options,
                                  InspectSink& sink);

}  // namespace braid::storage
