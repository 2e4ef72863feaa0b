#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/codec.h"

namespace braid::protocol {

/// Packs the body of a batch from pieces; reused for one body after the other. One thread at a time.
///
///   compressor.start(Codec::kLz4, level, out, out_bytes_max);
///   TRY_DO(compressor.write(piece));        // any number of times
///   TRY_DO(compressor.finish());
///
/// Writes what every Kafka client reads: one gzip member; snappy blocks of 32 KiB in xerial's framing; one lz4 frame of
/// independent 64 KiB blocks; one zstd frame. Codec::kNone copies.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  /// Appends to `out`, which must live until finish() or the next start(). `level` is checked to be one that
  /// level_allowed() allows. `out_bytes_max` bounds the size of `out` as a whole. A known `content_bytes` lets zstd
  /// state it and keep its window small; it is checked against what was written.
  ///
  /// Kafka's default lz4 level 9 names the fast compressor, and so here; levels above lz4's own 12 are taken as 12.
  void start(Codec codec, int level, Bytes& out, std::size_t out_bytes_max,
             std::optional<std::size_t> content_bytes = std::nullopt);
  /// Errc::too_large: `out` would pass its bound; start() must come next.
  Result<void> write(ByteView content);
  /// The same errors.
  Result<void> finish();

 private:
  class Sinks;

  Result<void> write_piece(ByteView piece);

  Codec codec_ = Codec::kNone;
  const std::unique_ptr<Sinks> sinks_;
};

}  // namespace braid::protocol
