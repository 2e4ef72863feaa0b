#include "protocol/records/lz4_source.h"

#include <cstdint>
#include <new>

#include "protocol/records/codec_memory.h"

namespace braid::protocol {
namespace {

constexpr std::uint32_t kMagicBigEndian = 0x04224d18;
constexpr std::size_t kFrameHeaderBytesMin = 7;
constexpr std::size_t kFlagsAt = 4;
constexpr std::byte kIndependentBlocks{0x20};
constexpr std::byte kDictionary{0x01};

Result<void> check_frame_header(ByteView frame) {
  if (frame.size() < kFrameHeaderBytesMin) return make_error_code(Errc::truncated);
  std::uint32_t magic = 0;
  for (const std::byte byte : frame.first(kFlagsAt)) magic = magic << 8 | std::to_integer<std::uint32_t>(byte);
  const std::byte flags = frame[kFlagsAt];
  const bool readable = (flags & kIndependentBlocks) != std::byte{} && (flags & kDictionary) == std::byte{};
  if (magic != kMagicBigEndian || !readable) return make_error_code(Errc::malformed);
  return ok();
}

}  // namespace

Lz4Source::Lz4Source() {
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)) != 0) throw std::bad_alloc();
}

Lz4Source::~Lz4Source() { LZ4F_freeDecompressionContext(context_); }

void Lz4Source::start(ByteView compressed) {
  LZ4F_resetDecompressionContext(context_);
  rest_ = compressed;
  begun_ = false;
  ended_ = false;
}

Result<ByteView> Lz4Source::next(MutableBytes out) {
  if (!begun_) {
    TRY_DO(check_frame_header(rest_));
    begun_ = true;
  }
  std::size_t filled = 0;
  while (!ended_ && filled < out.size()) {
    std::size_t written = out.size() - filled;
    std::size_t taken = rest_.size();
    const std::size_t hint =
        LZ4F_decompress(context_, out.data() + filled, &written, rest_.data(), &taken, /*options=*/nullptr);
    if (lz4_lacks_memory(hint)) throw std::bad_alloc();
    if (LZ4F_isError(hint) != 0) return make_error_code(Errc::malformed);
    filled += written;
    rest_ = rest_.subspan(taken);
    ended_ = hint == 0;
    if (!ended_ && written == 0 && rest_.empty()) return make_error_code(Errc::truncated);
  }
  if (ended_ && !rest_.empty()) return make_error_code(Errc::malformed);
  return ByteView(out.first(filled));
}

}  // namespace braid::protocol
