#pragma once

#include <zlib.h>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/byte_sink.h"

namespace braid::protocol {

/// Writes one gzip member. Part of Compressor, whose contract holds here; `staging` is memory to work in.
class GzipSink {
 public:
  GzipSink();
  ~GzipSink();
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  void start(int level);
  Result<void> write(ByteView piece, ByteSink& out, MutableBytes staging);
  Result<void> finish(ByteSink& out, MutableBytes staging);

 private:
  Result<void> deflate_all(ByteView piece, int flush, ByteSink& out, MutableBytes staging);

  z_stream stream_{};
};

}  // namespace braid::protocol
