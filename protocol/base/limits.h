#pragma once

#include <cstddef>
#include <cstdint>

/// Every bound of the program that is no configuration key, with its reason. Configuration keys have theirs in the key
/// table.
namespace braid::protocol {

/// First chunk of an Arena: holds the arrays of an ordinary Produce or Fetch, so that steady state takes one chunk for
/// life.
inline constexpr std::size_t kArenaFirstChunkBytes = 16 * 1024;

/// All arrays of one request together. A structure is up to about 100 times larger in memory than the two bytes that
/// announce it on the wire; a Metadata request for 500,000 topics needs 20 MiB.
inline constexpr std::size_t kArenaBytesMax = 64 * 1024 * 1024;

/// A larger chunk is given back by Arena::reset, so that one odd request does not hold its memory for the connection's
/// life.
inline constexpr std::size_t kArenaKeptBytesMax = 1024 * 1024;

/// Longest encoding of a 32-bit and a 64-bit varint: ceil(32 / 7) and ceil(64 / 7).
inline constexpr std::size_t kVarintBytesMax = 5;
inline constexpr std::size_t kVarlongBytesMax = 10;

}  // namespace braid::protocol
