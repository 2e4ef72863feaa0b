#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace braid::protocol {

/// Borrows bytes; whoever hands one out says how long they live.
using ByteView = std::span<const std::byte>;
/// Borrows bytes that may be written.
using MutableBytes = std::span<std::byte>;
/// Owns bytes.
using Bytes = std::vector<std::byte>;

/// The same memory, seen as bytes.
inline ByteView as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

/// The same memory, seen as characters; nothing is checked to be UTF-8.
inline std::string_view as_text(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace braid::protocol
