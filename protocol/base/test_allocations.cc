#include "protocol/base/test_allocations.h"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BRAID_OWNS_MALLOC 0
#else
#define BRAID_OWNS_MALLOC 1
#endif

namespace braid::protocol {
namespace {

struct Tally {
  std::size_t allocations = 0;
  std::size_t live_bytes = 0;  // wraps where a thread frees what another allocated; differences stay right
  std::size_t peak_bytes = 0;
  std::size_t until_failure = 0;  // the allocation that brings it to 0 fails
};

thread_local Tally tally;

}  // namespace

bool AllocationCount::available() { return BRAID_OWNS_MALLOC != 0; }

AllocationCount::AllocationCount() : allocations_before_(tally.allocations), live_bytes_before_(tally.live_bytes) {
  tally.peak_bytes = tally.live_bytes;
}

std::size_t AllocationCount::allocations() const { return tally.allocations - allocations_before_; }
std::size_t AllocationCount::peak_bytes() const { return tally.peak_bytes - live_bytes_before_; }

AllocationFailure::AllocationFailure(std::size_t ordinal) { tally.until_failure = ordinal; }
AllocationFailure::~AllocationFailure() { tally.until_failure = 0; }
bool AllocationFailure::happened() const { return tally.until_failure == 0; }

#if BRAID_OWNS_MALLOC
namespace {

bool fails() {
  if (tally.until_failure == 0) return false;
  --tally.until_failure;
  return tally.until_failure == 0;
}

void* counted(void* memory) {
  if (memory == nullptr) return memory;
  ++tally.allocations;
  tally.live_bytes += malloc_usable_size(memory);
  tally.peak_bytes = std::max(tally.peak_bytes, tally.live_bytes);
  return memory;
}

void forget(void* memory) {
  if (memory != nullptr) tally.live_bytes -= malloc_usable_size(memory);
}

}  // namespace
#endif

}  // namespace braid::protocol

#if BRAID_OWNS_MALLOC
// glibc's own functions under the names that it keeps for replacements like these.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): glibc's names.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

void* malloc(std::size_t size) {
  return braid::protocol::fails() ? nullptr : braid::protocol::counted(__libc_malloc(size));
}

void* calloc(std::size_t count, std::size_t size) {
  return braid::protocol::fails() ? nullptr : braid::protocol::counted(__libc_calloc(count, size));
}

void* realloc(void* memory, std::size_t size) {
  if (braid::protocol::fails()) return nullptr;
  braid::protocol::forget(memory);
  return braid::protocol::counted(__libc_realloc(memory, size));
}

void* memalign(std::size_t alignment, std::size_t size) {
  return braid::protocol::fails() ? nullptr : braid::protocol::counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

void free(void* memory) {
  braid::protocol::forget(memory);
  __libc_free(memory);
}
}
#endif
