#pragma once

#include <cstddef>
#include <memory>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/codec.h"

namespace braid::protocol {

/// Unpacks the body of a batch piece by piece; reused for one body after the other, so that in steady state it touches
/// no heap. One thread at a time.
///
///   decompressor.start(Codec::kZstd, batch.body(), bytes_max);
///   while (true) {
///     TRY(const ByteView piece, decompressor.next());
///     if (piece.empty()) break;
///     use(piece);
///   }
///
/// Reads gzip (also several members), snappy as one raw block or in xerial's framing, lz4 frames, zstd frames (also
/// several, also without content size). Codec::kNone yields the bytes themselves, uncopied. A codec's memory is taken
/// when a body first needs it; it never follows a size that a payload announces: kDecompressorBytesMax, and for snappy
/// 22 times the compressed bytes.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  /// Begins on `compressed`, part of a batch (less than 2 GiB: checked), which must live until the last piece was
  /// taken; what was left of an earlier body is dropped. More than `bytes_max` of content, or a ratio that only a bomb
  /// has, ends with Errc::too_large.
  void start(Codec codec, ByteView compressed, std::size_t bytes_max);

  /// The next bytes, which live until the next call; empty at the end, once every compressed byte was used.
  /// Errc::truncated, Errc::malformed, Errc::too_large: start() must come next.
  Result<ByteView> next();

  /// Content handed out since start().
  std::size_t produced_bytes() const { return produced_bytes_; }

 private:
  class Sources;

  Result<ByteView> next_unbounded();

  Codec codec_ = Codec::kNone;
  ByteView uncompressed_;
  std::size_t produced_bytes_ = 0;
  std::size_t produced_bytes_max_ = 0;
  const std::unique_ptr<Sources> sources_;
};

/// The whole content: `compressed` itself for Codec::kNone, else a view of `buffer`, which it overwrites. Errors as
/// Decompressor::next().
Result<ByteView> decompress(Codec codec, ByteView compressed, std::size_t bytes_max, Decompressor& decompressor,
                            Bytes& buffer);

}  // namespace braid::protocol
