#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "storage/commitlog/flush_policy.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/log_progress.h"
#include "storage/commitlog/tail.h"
#include "storage/env/aligned_buffer.h"
#include "storage/env/file_system.h"

namespace braid::storage {

/// Takes the log from the tail to the disk: all that has gathered as one direct write into blocks that exist, then one
/// sync if it is due. While that is on its way the next group gathers; nobody waits on purpose.
///
/// The writer thread's alone. It waits for the disk and for nothing else. Any error is final.
class LogWriter {
 public:
  struct Options {
    LogGeometry geometry;
    std::uint32_t seed = 0;
    AsyncBounds bounds;
  };
  /// All outlive it; progress says where the log ends.
  static Result<std::unique_ptr<LogWriter>> create(FileSystem& files, Tail& tail, LogProgress& progress,
                                                   Options options);

  /// One group, one sync at most. kIdle: there was nothing to do.
  Result<Step> step(protocol::Instant now);
  /// When a sync is due by time though nothing else happens.
  std::optional<protocol::Instant> next_sync() const;

 private:
  LogWriter(FileSystem& files, Tail& tail, LogProgress& progress, Options options, AlignedBuffer last_block);

  Result<Step> work(protocol::Instant now);
  Result<void> write_group(LogPosition published, protocol::Instant now);
  Result<void> open_file(LogPosition file);
  /// The first entry of a group says how far the log is synced, so that this is never older than one group.
  void stamp(LogPosition entry);
  bool sync_due(protocol::Instant now) const;
  Result<void> sync();

  FileSystem& files_;
  Tail& tail_;
  LogProgress& progress_;
  const Options options_;

  AlignedBuffer last_block_;  // a copy: the lane goes on filling the block while it is written
  Tail::Gathered gathered_;
  std::unique_ptr<File> file_;
  LogPosition file_begin_{-1};
  LogPosition written_;
  LogPosition synced_;
  protocol::Instant unsynced_since_{};
};

}  // namespace braid::storage
