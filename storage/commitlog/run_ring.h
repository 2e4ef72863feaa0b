#pragma once

#include <cstdint>
#include <memory>

#include "protocol/base/check.h"
#include "storage/commitlog/queue_run.h"

namespace braid::storage {

/// Runs in rising order of their first offset, taken off at both ends: all of a consume queue that is not in its files
/// yet. Empty it owns no memory after release(); its capacity doubles from kQueueRunsMin. A value; one thread.
class RunRing {
 public:
  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  std::size_t memory_bytes() const { return capacity_ * sizeof(QueueRun); }

  /// index < size(), checked. References last until the next push or release.
  QueueRun& operator[](std::uint32_t index) {
    protocol::check(index < size_, "the ring has this run");
    return runs_[(head_ + index) & (capacity_ - 1)];
  }
  const QueueRun& operator[](std::uint32_t index) const {
    protocol::check(index < size_, "the ring has this run");
    return runs_[(head_ + index) & (capacity_ - 1)];
  }
  QueueRun& front() { return (*this)[0]; }
  const QueueRun& back() const { return (*this)[size_ - 1]; }

  /// Memory for so many in all.
  void reserve(std::uint32_t runs);
  /// Amortised O(1); allocates only when it grows.
  void push_back(const QueueRun& run);
  void pop_front();
  void pop_back();
  void clear() { size_ = 0; }
  /// Gives the memory back when it is empty.
  void release();

  /// Index of the run that holds `offset`: the last one that begins at or before it. O(log size). Precondition: the
  /// first run begins at or before it.
  std::uint32_t find(Offset offset) const;

 private:
  void grow(std::uint32_t capacity);

  std::unique_ptr<QueueRun[]> runs_;
  std::uint32_t capacity_ = 0;  // a power of two, or 0
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace braid::storage
