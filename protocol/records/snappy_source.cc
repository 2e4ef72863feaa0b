#include "protocol/records/snappy_source.h"

#include <snappy.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "protocol/base/limits.h"
#include "protocol/wire/reader.h"

namespace braid::protocol {

void SnappySource::start(ByteView compressed, std::size_t content_bytes_max) {
  rest_ = compressed;
  content_bytes_max_ = content_bytes_max;
  begun_ = false;
  xerial_ = as_text(compressed).starts_with(kXerialMagic);
  if (buffer_bytes_ > kSnappyKeptBytesMax) {
    buffer_.reset();
    buffer_bytes_ = 0;
  }
}

Result<ByteView> SnappySource::next() {
  while (true) {
    if (begun_ && rest_.empty()) return ByteView();
    TRY(const ByteView block, next_block());
    if (xerial_ && block.empty()) return ByteView();
    TRY(const ByteView content, unpack(block));
    if (!content.empty()) return content;
  }
}

/// The compressed bytes of the next block; the first call also passes over xerial's header, which no block need follow.
Result<ByteView> SnappySource::next_block() {
  const bool first = !std::exchange(begun_, true);
  if (!xerial_) return std::exchange(rest_, {});

  Reader in(rest_);
  if (first) {
    in.skip(kXerialMagic.size() + sizeof(std::int32_t));
    if (in.i32() > kXerialVersion) return make_error_code(Errc::malformed);
    if (in.ok() && in.remaining() == 0) return std::exchange(rest_, {}).first(0);
  }
  const std::int32_t length = in.i32();
  if (!in.ok()) return make_error_code(Errc::truncated);
  if (length <= 0) return make_error_code(Errc::malformed);
  const ByteView block = in.bytes(static_cast<std::size_t>(length));
  if (!in.ok()) return make_error_code(Errc::truncated);
  rest_ = in.bytes(in.remaining());
  return block;
}

Result<ByteView> SnappySource::unpack(ByteView block) {
  const auto* packed = reinterpret_cast<const char*>(block.data());
  std::size_t announced = 0;
  if (!snappy::GetUncompressedLength(packed, block.size(), &announced)) return make_error_code(Errc::malformed);
  if (announced > block.size() * kSnappyRatioMax) return make_error_code(Errc::malformed);
  if (announced > std::min(content_bytes_max_, kSnappyBlockBytesMax)) return make_error_code(Errc::too_large);
  if (announced > buffer_bytes_) {
    buffer_.reset();
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(announced);
    buffer_bytes_ = announced;
  }
  if (!snappy::RawUncompress(packed, block.size(), reinterpret_cast<char*>(buffer_.get()))) {
    return make_error_code(Errc::malformed);
  }
  return ByteView(buffer_.get(), announced);
}

}  // namespace braid::protocol
