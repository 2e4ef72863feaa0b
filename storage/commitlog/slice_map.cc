#include "storage/commitlog/slice_map.h"

#include <algorithm>

namespace braid::storage {

void SliceMap::append(LogPosition file, PartitionId partition, const Slice& batch) {
  const auto [found, is_new] = files_[file].try_emplace(partition, batch);
  if (is_new) return;
  Slice& slice = found->second;
  slice.bytes += batch.bytes;
  slice.entries += batch.entries;
  slice.last = batch.last;
  slice.timestamp_max = std::max(slice.timestamp_max, batch.timestamp_max);
}

void SliceMap::remove_partition(PartitionId partition) {
  for (auto& [file, slices] : files_) slices.erase(partition);
}

void SliceMap::truncate(PartitionId partition, Offset end) {
  for (auto& [file, slices] : files_) {
    const auto found = slices.find(partition);
    if (found == slices.end()) continue;
    if (found->second.first >= end) {
      slices.erase(found);
    } else {
      found->second.last = std::min(found->second.last, Offset{end.value - 1});
    }
  }
}

std::vector<Slice> SliceMap::living(PartitionId partition, Offset start) const {
  std::vector<Slice> all;
  for (const auto& [file, slices] : files_) {
    const auto found = slices.find(partition);
    if (found != slices.end() && found->second.last >= start) all.push_back(found->second);
  }
  return all;
}

}  // namespace braid::storage
