#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>

#include "storage/types.h"

namespace braid::storage {

/// What one partition has in one log file. Bytes and entries count all that was ever appended there, dead or alive; the
/// rest is of what was not cut off. A slice lives as long as `last` is at or above the partition's start.
struct Slice {
  LogPosition file = {};
  std::int64_t bytes = 0;  // headers and padding too
  Offset first = {};
  Offset last = {};  // inclusive
  std::int64_t timestamp_max = 0;
  std::int32_t entries = 0;

  bool operator==(const Slice&) const = default;
};

/// The slices of one partition, a log file each: files and offsets rise. Kept by events, never by scans; part of the
/// checkpoint. An idle partition's one slice takes no memory of its own. A value; one thread.
class PartitionSlices {
 public:
  /// A batch was appended to `batch.file`, or one that is built anew.
  void append(const Slice& batch);
  /// Takes the place of the one in the same file, if there is one.
  void add(const Slice& slice);
  void remove_file(LogPosition file);
  /// Offsets from `end` on are gone.
  void truncate(Offset end);

  std::span<const Slice> all() const { return {slices_.data(), slices_.size()}; }
  /// Those that have something at or above `start`. O(log files).
  std::span<const Slice> living(Offset start) const;
  /// Null when it has nothing there. O(log files).
  const Slice* in(LogPosition file) const;

 private:
  boost::container::small_vector<Slice, 1> slices_;
};

}  // namespace braid::storage
