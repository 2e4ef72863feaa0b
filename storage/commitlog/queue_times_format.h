#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "storage/types.h"

/// What stands beside a queue file: for each of its whole pages the greatest timestamp, so that a look-up by time reads
/// one page and not all. docs/formats/consume_queue.md. Pure; any thread.
namespace braid::storage {

/// Of one page on disk: timestamp 8, check 4, big-endian.
inline constexpr std::size_t kQueueTimeBytes = 12;

/// kUnknownTimestamp becomes zeros.
void encode_time(Offset page_begin, std::int64_t timestamp, std::span<std::byte, kQueueTimeBytes> out);

/// kUnknownTimestamp for zeros, and for bytes that fail their check: they cost a look into the page, nothing else.
std::int64_t decode_time(Offset page_begin, std::span<const std::byte, kQueueTimeBytes> bytes);

}  // namespace braid::storage
