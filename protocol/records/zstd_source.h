#pragma once

#include <zstd.h>

#include <array>
#include <cstddef>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace braid::protocol {

/// Reads zstd frames one after the other. Part of Decompressor, whose contract holds here.
///
/// A frame announces how far back it may refer, and zstd takes that much memory at once. This reader lowers what is
/// announced to what our bound and the frame's bytes allow, before zstd sees it: a reference beyond that (which needs
/// content beyond that) is then Errc::malformed.
class ZstdSource {
 public:
  ZstdSource();
  ~ZstdSource();
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  void start(ByteView compressed);
  /// Fills `out` from its begin and returns that part of it; empty at the end.
  Result<ByteView> next(MutableBytes out);

 private:
  static constexpr std::size_t kFrameHeaderBytesMax = 18;

  Result<void> begin_frame();
  void lower_window(ByteView header, unsigned window_log);

  ZSTD_DCtx* context_ = nullptr;
  ByteView rest_;
  bool begun_ = false;
  bool between_frames_ = true;
  std::array<std::byte, kFrameHeaderBytesMax> lowered_header_{};
  ByteView lowered_rest_;  // of a header that was changed: what zstd has still to read of it
};

}  // namespace braid::protocol
