#pragma once

#include <lz4frame.h>

#include <cstddef>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/byte_sink.h"
#include "protocol/records/codec.h"

namespace braid::protocol {

/// Writes one lz4 frame of independent 64 KiB blocks, the only kind that Java clients read. Part of Compressor, whose
/// contract holds here; `staging` is memory to work in, of at least staging_bytes().
class Lz4Sink {
 public:
  Lz4Sink();
  ~Lz4Sink();
  Lz4Sink(const Lz4Sink&) = delete;
  Lz4Sink& operator=(const Lz4Sink&) = delete;

  /// Enough for a piece of kCompressionPieceBytes at any level.
  static std::size_t staging_bytes();

  void start(int level);
  Result<void> write(ByteView piece, ByteSink& out, MutableBytes staging);
  Result<void> finish(ByteSink& out, MutableBytes staging);

 private:
  Result<void> begin_once(ByteSink& out, MutableBytes staging);

  LZ4F_cctx* context_ = nullptr;
  LZ4F_preferences_t preferences_{};
  bool begun_ = false;
};

}  // namespace braid::protocol
