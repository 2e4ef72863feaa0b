#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace braid::protocol {

/// The framing that snappy-java and the clients that follow it put around snappy blocks: this magic, two int32
/// (version, lowest version that can read it), then blocks, each after its int32 length. Big-endian.
inline constexpr std::string_view kXerialMagic("\x82SNAPPY\0", 8);
inline constexpr std::int32_t kXerialVersion = 1;

/// Reads snappy: a raw block, or xerial's framing. Part of Decompressor, whose contract holds here.
///
/// A block is unpacked as a whole, as it may refer back to its very begin. The size it announces is believed only so
/// far as its compressed bytes could fill it.
class SnappySource {
 public:
  void start(ByteView compressed, std::size_t content_bytes_max);
  /// The next block's content, in memory of its own that lives until the next call; empty at the end.
  Result<ByteView> next();

 private:
  Result<ByteView> next_block();
  Result<ByteView> unpack(ByteView block);

  ByteView rest_;
  std::size_t content_bytes_max_ = 0;
  bool begun_ = false;
  bool xerial_ = false;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t buffer_bytes_ = 0;
};

}  // namespace braid::protocol
