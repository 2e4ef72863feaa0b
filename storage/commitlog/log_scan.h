#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "protocol/base/bytes.h"
#include "protocol/base/limits.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/env/aligned_buffer.h"
#include "storage/env/file_system.h"
#include "storage/types.h"

namespace braid::storage {

/// Reads the log's files in order and judges what stands where, through a window that moves along: past the page cache,
/// because a log is read once and is larger than what others keep there. It never changes anything and never fails:
/// what can't be read is bad.
///
/// One thread. Views last until the next call.
class LogScan {
 public:
  enum class Verdict {
    kEntry,       // whole
    kBadPayload,  // the header is whole, what follows it is not
    kBad,         // no entry
    kNewer,       // an entry of a type that this program does not know
    kMissing,     // no such file, or it ends before
  };
  struct Found {
    Verdict verdict = Verdict::kBad;
    EntryHeader header = {};
    ByteView entry = {};
  };

  /// Where the file lies that begins at a position: log_file_path, or wherever a copy was put.
  using PathOf = std::function<std::string(LogPosition)>;

  /// `existing`: the first positions of the files that are there.
  LogScan(FileSystem& files, LogGeometry geometry, std::uint32_t seed, std::set<LogPosition> existing,
          PathOf path_of = log_file_path)
      : files_(files), geometry_(geometry), seed_(seed), existing_(std::move(existing)), path_of_(std::move(path_of)) {}

  const std::set<LogPosition>& existing() const { return existing_; }
  const LogGeometry& geometry() const { return geometry_; }
  Found at(LogPosition position);

  /// The first whole header in [from, to), missing files left out: kEntry or kBadPayload.
  std::optional<Found> next(LogPosition from, LogPosition to);
  /// The last byte that is not zero in [from, to), one past it; nullopt when all are or nothing is there.
  std::optional<LogPosition> nonzero_end(LogPosition from, LogPosition to);
  /// The file's superblock says that it held other entries before.
  bool is_recycled(LogPosition file);

  /// Bytes of one file; fewer at its end, none where nothing can be read.
  ByteView bytes(LogPosition position, std::size_t count);
  std::int64_t scanned_bytes() const { return scanned_bytes_; }

 private:
  bool open(LogPosition file);
  bool holds(LogPosition position, std::size_t count) const;
  /// The window begins at the position's block and has all of it that is there.
  void move_window(LogPosition position, std::size_t count);
  Result<std::size_t> fill_window(std::size_t bytes);

  FileSystem& files_;
  const LogGeometry geometry_;
  const std::uint32_t seed_;
  const std::set<LogPosition> existing_;
  const PathOf path_of_;
  std::unique_ptr<File> file_;
  LogPosition file_begin_{-1};
  AlignedBuffer window_;                                     // its memory is used again and again: fresh pages are dear
  std::size_t window_wish_ = protocol::kScanWindowBytesMin;  // doubles with each move: short looks stay cheap
  LogPosition window_begin_{-1};
  std::size_t window_bytes_ = 0;
  LogPosition window_end_{-1};  // beyond its bytes where the file ends in it
  std::int64_t scanned_bytes_ = 0;
};

}  // namespace braid::storage
