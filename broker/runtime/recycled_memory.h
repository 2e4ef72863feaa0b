#pragma once

#include <cstddef>

namespace braid::broker {

/// Memory that a thread uses again and again: a block that is given back is the next one's of its size, so that what
/// comes and goes with each request asks the heap for nothing once it has warmed up. Each thread has its own, bounded
/// by kRecycledBytesMax; larger blocks than kRecycledBlockBytesMax are the heap's. A block may be given back on another
/// thread than it was taken on.
void* take_recycled(std::size_t bytes);
void give_recycled(void* block, std::size_t bytes) noexcept;

/// For containers and std::allocate_shared.
template <class T>
struct RecyclingAllocator {
  using value_type = T;

  RecyclingAllocator() = default;
  template <class Other>
  explicit(false) RecyclingAllocator(const RecyclingAllocator<Other>& /*other*/) {}

  T* allocate(std::size_t count) { return static_cast<T*>(take_recycled(count * sizeof(T))); }
  void deallocate(T* block, std::size_t count) noexcept { give_recycled(block, count * sizeof(T)); }
  bool operator==(const RecyclingAllocator& /*other*/) const = default;
};

}  // namespace braid::broker
