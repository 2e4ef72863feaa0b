#pragma once

#include <lz4frame.h>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace braid::protocol {

/// Reads one lz4 frame. Part of Decompressor, whose contract holds here.
///
/// Frames whose blocks refer to earlier ones, or that need a dictionary, are Errc::malformed, as are bytes after the
/// frame: Java consumers can't read them, so no batch may hold them.
class Lz4Source {
 public:
  Lz4Source();
  ~Lz4Source();
  Lz4Source(const Lz4Source&) = delete;
  Lz4Source& operator=(const Lz4Source&) = delete;

  void start(ByteView compressed);
  /// Fills `out` from its begin and returns that part of it; empty at the end.
  Result<ByteView> next(MutableBytes out);

 private:
  LZ4F_dctx* context_ = nullptr;
  ByteView rest_;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace braid::protocol
