#pragma once

#include <cstdint>

#include "protocol/base/bytes.h"

namespace braid::protocol {

/// CRC-32C (Castagnoli), as record batches and our own formats carry it. Pass an earlier result to go on with it:
/// crc32c(b, crc32c(a)) is that of a then b.
std::uint32_t crc32c(ByteView bytes, std::uint32_t earlier = 0);

}  // namespace braid::protocol
