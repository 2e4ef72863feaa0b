#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "storage/commitlog/identity.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/log_scan.h"
#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"

namespace braid::storage {

/// What a path that somebody typed leads to.
struct InspectedPlace {
  std::string shard;        // the shard's directory, or where it should be
  bool is_shard = false;    // that is what was asked for: what is missing in it is damage
  std::string folder = {};  // of the log files
  std::string file = {};    // the one that was asked for; else empty
};

/// A data directory, a shard's directory, a folder of log files or one log file; "" is the root. What is none of these
/// is a finding, and nullopt.
std::optional<InspectedPlace> find_place(FileSystem& files, std::string_view path, InspectOutput& out);

/// How a log is read: from the identity, or, where that is lost, from the superblocks, which say the same.
struct LogSource {
  LogGeometry geometry;
  std::uint32_t seed = 0;
  protocol::Uuid store;
  std::optional<Identity> identity = {};          // nullopt: lost
  std::map<LogPosition, std::string> paths = {};  // of the files that are there

  /// Over `files`; both outlive it.
  LogScan scan(FileSystem& files) const;
  std::string path_of(LogPosition position) const;
  /// One of our log files at a position, for a finding: what, and where.
  InspectFinding finding(std::string what, LogPosition position, std::optional<std::int64_t> bytes = {}) const;
};

/// Damage of the identity is told to `out`. nullopt when nothing says how to read the log: a finding too.
std::optional<LogSource> open_log(FileSystem& files, const InspectedPlace& place, InspectOutput& out);

/// A finding when the superblock of the file that begins there is damaged, or another store's.
void check_superblock(FileSystem& files, const LogSource& source, LogPosition file, InspectOutput& out);

}  // namespace braid::storage
