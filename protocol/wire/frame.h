#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "protocol/base/bytes.h"

namespace braid::protocol {

/// A frame is an int32 length, then as many bytes. Pure: bytes in, decision out; nothing is allocated or kept.

inline constexpr std::size_t kFramePrefixBytes = 4;

/// At least this many more bytes must come before there is a frame; before the prefix is whole it counts the prefix
/// alone.
struct NeedMore {
  std::size_t missing_bytes = 0;
};
/// `body` borrows from what was buffered; `consumed_bytes` counts the prefix too.
struct Frame {
  ByteView body;
  std::size_t consumed_bytes = 0;
};
/// A length that is negative or above the bound: the stream can't be followed any further.
struct BadFrame {
  std::int32_t claimed_bytes = 0;
};
using Split = std::variant<NeedMore, Frame, BadFrame>;

/// The first frame of `buffered`, if it is whole.
Split split_frame(ByteView buffered, std::int32_t frame_bytes_max);

/// What a stranger's first four bytes look like when they are no length: for the log line that tells an operator what
/// connected.
enum class ForeignProtocol { kNone, kHttp, kTls };
ForeignProtocol guess_foreign_protocol(std::int32_t claimed_bytes);

}  // namespace braid::protocol
