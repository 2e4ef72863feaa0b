#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "storage/types.h"

namespace braid::storage {

/// What one partition has in one log file. Bytes and entries count all that was ever appended there, dead or alive; the
/// rest is of what was not cut off. A slice lives as long as `last` is at or above the partition's start.
struct Slice {
  std::int64_t bytes = 0;  // headers and padding too
  std::int32_t entries = 0;
  Offset first = {};
  Offset last = {};  // inclusive
  std::int64_t timestamp_max = 0;

  bool operator==(const Slice&) const = default;
};

/// Per log file and partition: who has what where. Kept by events, never by scans; part of the checkpoint. A value; one
/// thread.
class SliceMap {
 public:
  using Slices = std::unordered_map<PartitionId, Slice>;

  /// The file exists, with or without slices.
  void add_file(LogPosition file) { files_.try_emplace(file); }
  void add(LogPosition file, PartitionId partition, const Slice& slice) {
    files_[file].insert_or_assign(partition, slice);
  }
  /// A batch [first, last] was appended there.
  void append(LogPosition file, PartitionId partition, const Slice& batch);
  void remove_partition(PartitionId partition);
  void remove_file(LogPosition file) { files_.erase(file); }
  /// The partition's offsets from `end` on are gone.
  void truncate(PartitionId partition, Offset end);

  const std::map<LogPosition, Slices>& files() const { return files_; }
  /// In rising offsets: the slices of one partition that have something at or above `start`.
  std::vector<Slice> living(PartitionId partition, Offset start) const;

 private:
  std::map<LogPosition, Slices> files_;
};

}  // namespace braid::storage
