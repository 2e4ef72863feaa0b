#include "storage/commitlog/run_ring.h"

#include <bit>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"

namespace braid::storage {

using protocol::check;

void RunRing::reserve(std::uint32_t runs) {
  if (runs > capacity_) grow(std::bit_ceil(runs));
}

void RunRing::push_back(const QueueRun& run) {
  check(size_ == 0 || back().first < run.first, "runs rise");
  if (size_ == capacity_) grow(capacity_ == 0 ? protocol::kQueueRunsMin : capacity_ * 2);
  ++size_;
  (*this)[size_ - 1] = run;
}

void RunRing::pop_front() {
  check(size_ > 0, "there is a run to take");
  head_ = (head_ + 1) & (capacity_ - 1);
  --size_;
}

void RunRing::pop_back() {
  check(size_ > 0, "there is a run to take");
  --size_;
}

void RunRing::release() {
  if (size_ != 0) return;
  runs_.reset();
  capacity_ = 0;
  head_ = 0;
}

std::uint32_t RunRing::find(Offset offset) const {
  check(size_ > 0 && (*this)[0].first <= offset, "the ring reaches back to the offset");
  std::uint32_t low = 0;  // the run is in [low, end)
  std::uint32_t end = size_;
  while (end - low > 1) {
    const std::uint32_t middle = low + (end - low) / 2;
    if ((*this)[middle].first <= offset) {
      low = middle;
    } else {
      end = middle;
    }
  }
  return low;
}

void RunRing::grow(std::uint32_t capacity) {
  check(capacity <= protocol::kQueueRunsMax, "a queue is written out before it has this many runs");
  auto runs = std::make_unique_for_overwrite<QueueRun[]>(capacity);
  for (std::uint32_t i = 0; i < size_; ++i) runs[i] = (*this)[i];
  runs_ = std::move(runs);
  capacity_ = capacity;
  head_ = 0;
}

}  // namespace braid::storage
