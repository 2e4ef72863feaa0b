#include "storage/bench/heap_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace braid::storage {
namespace {

std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

std::uint64_t heap_allocations() { return allocations.load(std::memory_order_relaxed); }

}  // namespace braid::storage

void* operator new(std::size_t size) { return braid::storage::counted(size); }
void* operator new[](std::size_t size) { return braid::storage::counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
