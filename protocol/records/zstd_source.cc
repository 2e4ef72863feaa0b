#include "protocol/records/zstd_source.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "protocol/records/codec_memory.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

// The frame header, all numbers little-endian: magic (4 bytes), descriptor (1), window (1, unless the frame is a single
// segment), dictionary id (0, 1, 2 or 4), content size (0, 1, 2, 4 or 8).
constexpr std::uint32_t kMagic = 0xfd2fb528;
constexpr std::uint32_t kSkippableMagicFirst = 0x184d2a50;
constexpr std::uint32_t kSkippableMagicMask = 0xfffffff0;
constexpr std::size_t kMagicBytes = 4;
constexpr unsigned kSingleSegmentBit = 0x20;
constexpr unsigned kWindowLogMin = 10;
constexpr std::size_t kBlockBytesMax = 128 * 1024;
constexpr std::size_t kBlockBytesMin = 4;  // a run of one byte

std::uint64_t little_endian(ByteView bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

struct FrameHeader {
  bool skippable = false;
  std::size_t header_bytes = 0;
  std::uint64_t window_bytes = 0;
};

std::uint64_t window_of(std::byte descriptor) {
  const auto bits = std::to_integer<unsigned>(descriptor);
  const std::uint64_t base = std::uint64_t{1} << (kWindowLogMin + (bits >> 3));
  return base + base / 8 * (bits & 7);
}

Result<FrameHeader> read_frame_header(ByteView in) {
  if (in.size() < kMagicBytes + 1) return make_error_code(Errc::truncated);
  const auto magic = static_cast<std::uint32_t>(little_endian(in.first(kMagicBytes)));
  if ((magic & kSkippableMagicMask) == kSkippableMagicFirst) return FrameHeader{.skippable = true};
  if (magic != kMagic) return make_error_code(Errc::malformed);

  constexpr std::array<std::size_t, 4> kDictionaryIdBytes = {0, 1, 2, 4};
  constexpr std::array<std::size_t, 4> kContentSizeBytes = {0, 2, 4, 8};
  const auto descriptor = std::to_integer<unsigned>(in[kMagicBytes]);
  const bool single_segment = (descriptor & kSingleSegmentBit) != 0;
  const std::size_t dictionary_bytes = kDictionaryIdBytes[descriptor & 3];
  const std::size_t content_size_bytes =
      descriptor >> 6 == 0 && single_segment ? 1 : kContentSizeBytes[descriptor >> 6];
  const std::size_t window_at = kMagicBytes + 1;
  const std::size_t content_size_at = window_at + (single_segment ? 0 : 1) + dictionary_bytes;

  FrameHeader header{.header_bytes = content_size_at + content_size_bytes};
  if (in.size() < header.header_bytes) return make_error_code(Errc::truncated);
  // The two-byte content size begins at 256; that matters to no bound.
  header.window_bytes =
      single_segment ? little_endian(in.subspan(content_size_at, content_size_bytes)) : window_of(in[window_at]);
  return header;
}

/// The largest window that `frame_bytes` could make use of, within our bound.
unsigned useful_window_log(std::size_t frame_bytes) {
  const std::uint64_t content_bytes_max = (frame_bytes / kBlockBytesMin + 1) * kBlockBytesMax;
  return std::min(kZstdWindowLogMax, static_cast<unsigned>(std::bit_width(content_bytes_max - 1)));
}

}  // namespace

ZstdSource::ZstdSource() : context_(ZSTD_createDCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
  const std::size_t set = ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, static_cast<int>(kZstdWindowLogMax));
  check(ZSTD_isError(set) == 0, "zstd knows its window parameter");
}

ZstdSource::~ZstdSource() { ZSTD_freeDCtx(context_); }

void ZstdSource::start(ByteView compressed) {
  check(ZSTD_isError(ZSTD_DCtx_reset(context_, ZSTD_reset_session_only)) == 0, "a zstd context can be used again");
  rest_ = compressed;
  lowered_rest_ = {};
  begun_ = false;
  between_frames_ = true;
}

Result<ByteView> ZstdSource::next(MutableBytes out) {
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  while (to.pos < to.size) {
    if (between_frames_) {
      if (begun_ && rest_.empty()) break;
      TRY_DO(begin_frame());
    }
    ByteView& from_view = lowered_rest_.empty() ? rest_ : lowered_rest_;
    ZSTD_inBuffer from{from_view.data(), from_view.size(), 0};
    const std::size_t filled = to.pos;
    const std::size_t hint = ZSTD_decompressStream(context_, &to, &from);
    if (zstd_lacks_memory(hint)) throw std::bad_alloc();
    if (ZSTD_isError(hint) != 0) return make_error_code(Errc::malformed);
    from_view = from_view.subspan(from.pos);
    between_frames_ = hint == 0;
    if (!between_frames_ && from.pos == 0 && to.pos == filled) return make_error_code(Errc::truncated);
  }
  return ByteView(out.first(to.pos));
}

Result<void> ZstdSource::begin_frame() {
  begun_ = true;
  between_frames_ = false;
  TRY(const FrameHeader header, read_frame_header(rest_));
  if (header.skippable) return ok();
  if (header.window_bytes > std::uint64_t{1} << kZstdWindowLogReadable) return make_error_code(Errc::malformed);
  const unsigned window_log = useful_window_log(rest_.size());
  if (header.window_bytes <= std::uint64_t{1} << window_log) return ok();
  lower_window(rest_.first(header.header_bytes), window_log);
  rest_ = rest_.subspan(header.header_bytes);
  return ok();
}

/// Writes the header anew, with a window of its own in place of the announced one or of the single segment. Dictionary
/// id and content size stay: a single segment so large has a content size field of at least two bytes, whose width the
/// descriptor states in the same way.
void ZstdSource::lower_window(ByteView header, unsigned window_log) {
  const auto descriptor = std::to_integer<unsigned>(header[kMagicBytes]);
  const bool single_segment = (descriptor & kSingleSegmentBit) != 0;
  Writer out(lowered_header_);
  out.bytes(header.first(kMagicBytes));
  out.u8(static_cast<std::uint8_t>(descriptor & ~kSingleSegmentBit));
  out.u8(static_cast<std::uint8_t>((window_log - kWindowLogMin) << 3));
  out.bytes(header.subspan(kMagicBytes + (single_segment ? 1 : 2)));
  lowered_rest_ = ByteView(lowered_header_).first(out.position());
}

}  // namespace braid::protocol
