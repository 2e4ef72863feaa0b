#pragma once

#include <cstdint>

namespace braid::storage {

/// Calls of operator new, of all threads, since the program began: this program's own operator new counts them.
std::uint64_t heap_allocations();

}  // namespace braid::storage
