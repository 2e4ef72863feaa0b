#include "storage/commitlog/partition_slices.h"

#include <algorithm>

namespace braid::storage {

void PartitionSlices::append(const Slice& batch) {
  if (slices_.empty() || slices_.back().file != batch.file) return add(batch);
  Slice& slice = slices_.back();
  slice.bytes += batch.bytes;
  slice.entries += batch.entries;
  slice.last = batch.last;
  slice.timestamp_max = std::max(slice.timestamp_max, batch.timestamp_max);
}

void PartitionSlices::add(const Slice& slice) {
  const auto at = std::ranges::lower_bound(slices_, slice.file, {}, &Slice::file);
  if (at != slices_.end() && at->file == slice.file) {
    *at = slice;
  } else {
    slices_.insert(at, slice);
  }
}

void PartitionSlices::remove_file(LogPosition file) {
  const auto at = std::ranges::lower_bound(slices_, file, {}, &Slice::file);
  if (at != slices_.end() && at->file == file) slices_.erase(at);
}

void PartitionSlices::truncate(Offset end) {
  while (!slices_.empty() && slices_.back().first >= end) slices_.pop_back();
  if (!slices_.empty()) slices_.back().last = std::min(slices_.back().last, Offset{end.value - 1});
}

std::span<const Slice> PartitionSlices::living(Offset start) const {
  const auto first = std::ranges::lower_bound(all(), start, {}, &Slice::last);
  return all().subspan(static_cast<std::size_t>(first - all().begin()));
}

const Slice* PartitionSlices::in(LogPosition file) const {
  const auto at = std::ranges::lower_bound(slices_, file, {}, &Slice::file);
  return at != slices_.end() && at->file == file ? &*at : nullptr;
}

}  // namespace braid::storage
