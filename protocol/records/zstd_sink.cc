#include "protocol/records/zstd_sink.h"

#include <algorithm>
#include <new>

#include "protocol/base/check.h"
#include "protocol/records/codec_memory.h"

namespace braid::protocol {
namespace {

std::size_t checked(std::size_t status) {
  if (zstd_lacks_memory(status)) throw std::bad_alloc();
  check(ZSTD_isError(status) == 0, "a zstd context is whole and got as much as was stated");
  return status;
}

}  // namespace

ZstdSink::ZstdSink() : context_(ZSTD_createCCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
}

ZstdSink::~ZstdSink() { ZSTD_freeCCtx(context_); }

void ZstdSink::start(int level, std::optional<std::size_t> content_bytes) {
  checked(ZSTD_CCtx_reset(context_, ZSTD_reset_session_only));
  checked(ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, std::max(level, ZSTD_minCLevel())));
  checked(ZSTD_CCtx_setPledgedSrcSize(context_, content_bytes ? *content_bytes : ZSTD_CONTENTSIZE_UNKNOWN));
}

Result<void> ZstdSink::write(ByteView piece, ByteSink& out, MutableBytes staging) {
  ZSTD_inBuffer from{piece.data(), piece.size(), 0};
  while (from.pos < from.size) {
    ZSTD_outBuffer to{staging.data(), staging.size(), 0};
    checked(ZSTD_compressStream2(context_, &to, &from, ZSTD_e_continue));
    TRY_DO(out.append(staging.first(to.pos)));
  }
  return ok();
}

Result<void> ZstdSink::finish(ByteSink& out, MutableBytes staging) {
  ZSTD_inBuffer from{nullptr, 0, 0};
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer to{staging.data(), staging.size(), 0};
    left = checked(ZSTD_compressStream2(context_, &to, &from, ZSTD_e_end));
    TRY_DO(out.append(staging.first(to.pos)));
  }
  return ok();
}

}  // namespace braid::protocol
