#include "protocol/records/codec_memory.h"

#include <lz4frame.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <string_view>

namespace braid::protocol {

// The shared library gives names to its errors, but no numbers.
bool lz4_lacks_memory(std::size_t status) {
  return LZ4F_isError(status) != 0 && std::string_view(LZ4F_getErrorName(status)) == "ERROR_allocation_failed";
}

bool zstd_lacks_memory(std::size_t status) { return ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation; }

}  // namespace braid::protocol
