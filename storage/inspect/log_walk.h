#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "storage/commitlog/log_scan.h"
#include "storage/env/file_system.h"
#include "storage/inspect/inspect.h"
#include "storage/inspect/log_source.h"

namespace braid::storage {

/// Goes along a log entry by entry, whatever its state: what is no entry is told as a finding, and the walk goes on at
/// the next that is one. It holds one window of the log, or the largest entry. One thread.
class LogWalk {
 public:
  /// False: enough.
  using Visit = std::function<bool(const LogScan::Found&)>;

  /// All outlive it.
  LogWalk(FileSystem& files, const LogSource& source, InspectOutput& out);

  struct Range {
    LogPosition from = {};  // inside an entry it means the next one
    LogPosition to = LogPosition{INT64_MAX};
    /// All below it was once whole: what is no entry there is damage even where nothing follows, and not the log's end.
    LogPosition proven = {};
  };
  /// Visits the entries that begin in [from, to): whole ones, and those of which only the payload is damaged (which is
  /// a finding).
  void run(const Range& range, const Visit& visit);

  /// Behind the last entry.
  LogPosition end() const { return end_; }
  /// The walk came to where no valid entry follows: the end of the log.
  bool reached_end() const { return reached_end_; }

 private:
  void walk_file(LogPosition file, const Range& range, const Visit& visit);
  void tell_end(LogPosition at);
  void tell_lost_end(const Range& range);
  /// Where to go on behind a place without an entry; nullopt: nowhere in this file.
  std::optional<LogPosition> skip(LogPosition bad, const LogScan::Found& found);
  LogScan::Found look(LogPosition at);
  bool is_good(const LogScan::Found& found) const;
  std::optional<LogPosition> next_good(LogPosition from, LogPosition to);
  /// A bad place is damage, not the log's end.
  bool goes_on_behind(LogPosition bad);
  std::string words_for(LogPosition bad, LogScan::Verdict verdict);

  FileSystem& files_;
  const LogSource& source_;
  InspectOutput& out_;
  std::optional<LogScan> scan_;
  std::uint32_t incarnation_ = 0;  // the greatest so far: a lower one is left from an earlier life
  LogPosition proven_;
  LogPosition end_;
  LogPosition told_end_;  // of the last stretch that was told as damage
  bool reached_end_ = false;
  bool stopped_ = false;
};

}  // namespace braid::storage
