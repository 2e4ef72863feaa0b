#pragma once

#include <cstddef>

namespace braid::protocol {

/// Whether the status that a codec's library returned says that it got no memory. That is no fault of the bytes, and no
/// broken invariant: the caller throws std::bad_alloc, as `new` does.
bool lz4_lacks_memory(std::size_t status);
bool zstd_lacks_memory(std::size_t status);

}  // namespace braid::protocol
