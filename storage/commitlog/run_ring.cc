#include "storage/commitlog/run_ring.h"

#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"

namespace braid::storage {

using protocol::check;

QueueRun& RunRing::operator[](std::uint32_t index) {
  check(index < size_, "the ring has this run");
  return runs_[(head_ + index) & (capacity_ - 1)];
}

const QueueRun& RunRing::operator[](std::uint32_t index) const {
  check(index < size_, "the ring has this run");
  return runs_[(head_ + index) & (capacity_ - 1)];
}

void RunRing::push_back(const QueueRun& run) {
  check(size_ == 0 || back().first < run.first, "runs rise");
  if (size_ == capacity_) grow();
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

void RunRing::grow() {
  const std::uint32_t capacity = capacity_ == 0 ? protocol::kQueueRunsMin : capacity_ * 2;
  check(capacity <= protocol::kQueueRunsMax, "a queue is written out before it has this many runs");
  auto runs = std::make_unique<QueueRun[]>(capacity);
  for (std::uint32_t i = 0; i < size_; ++i) runs[i] = (*this)[i];
  runs_ = std::move(runs);
  capacity_ = capacity;
  head_ = 0;
}

}  // namespace braid::storage
