#pragma once

#include <zstd.h>

#include <cstddef>
#include <optional>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/byte_sink.h"

namespace braid::protocol {

/// Writes one zstd frame. Part of Compressor, whose contract holds here; `staging` is memory to work in.
class ZstdSink {
 public:
  ZstdSink();
  ~ZstdSink();
  ZstdSink(const ZstdSink&) = delete;
  ZstdSink& operator=(const ZstdSink&) = delete;

  void start(int level, std::optional<std::size_t> content_bytes);
  Result<void> write(ByteView piece, ByteSink& out, MutableBytes staging);
  Result<void> finish(ByteSink& out, MutableBytes staging);

 private:
  ZSTD_CCtx* context_ = nullptr;
};

}  // namespace braid::protocol
