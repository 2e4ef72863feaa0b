#pragma once

#include <zlib.h>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace braid::protocol {

/// Reads gzip: one member after the other until the bytes end. Part of Decompressor, whose contract holds here.
class GzipSource {
 public:
  GzipSource();
  ~GzipSource();
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  void start(ByteView compressed);
  /// Fills `out` from its begin and returns that part of it; empty at the end.
  Result<ByteView> next(MutableBytes out);

 private:
  z_stream stream_{};
  bool between_members_ = false;  // a member ended and no other has begun
};

}  // namespace braid::protocol
