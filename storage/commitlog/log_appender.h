#pragma once

#include <cstdint>

#include "protocol/base/bytes.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/log_progress.h"
#include "storage/commitlog/log_room.h"
#include "storage/commitlog/tail.h"

namespace braid::storage {

/// Makes entries at the end of the log: gives each its place, closes a file with a filler when the next one does not
/// fit, and publishes it to the writer. The lane's.
class LogAppender {
 public:
  struct Options {
    LogGeometry geometry;
    std::uint32_t seed = 0;
    std::uint32_t incarnation = 0;
  };
  /// All outlive it.
  LogAppender(Options options, Tail& tail, LogProgress& progress, LogRoom& room)
      : options_(options), tail_(tail), progress_(progress), room_(room) {}

  /// A control entry: what `header` says of its subject, and a payload. The header as it was written.
  EntryHeader append_control(EntryHeader header, ByteView payload);
  /// A batch as it came; the header's base offset and epoch are stamped into the copy.
  EntryHeader append_batch(EntryHeader header, ByteView batch, bool wants_sync);

 private:
  /// Fills in the entry's size and place.
  void place(EntryHeader& header, std::size_t payload_bytes);
  void close_file(LogPosition at);
  void finish(const EntryHeader& header, bool wants_sync);

  const Options options_;
  Tail& tail_;
  LogProgress& progress_;
  LogRoom& room_;
};

}  // namespace braid::storage
