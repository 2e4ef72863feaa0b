#include "protocol/records/decompression.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "protocol/records/gzip_source.h"
#include "protocol/records/lz4_source.h"
#include "protocol/records/snappy_source.h"
#include "protocol/records/zstd_source.h"

namespace braid::protocol {

/// Each is made when a body first needs it and kept.
class Decompressor::Sources {
 public:
  std::optional<GzipSource> gzip;
  std::optional<Lz4Source> lz4;
  std::optional<ZstdSource> zstd;
  SnappySource snappy;
  std::vector<std::byte> piece;
};

namespace {

template <class Source>
void start_source(std::optional<Source>& source, ByteView compressed) {
  if (!source) source.emplace();
  source->start(compressed);
}

/// A batch counts its bytes in an int32.
constexpr std::size_t kBodyBytesMax = std::numeric_limits<std::int32_t>::max();

std::size_t plausible_bytes_max(std::size_t compressed_bytes) {
  return std::max(kDecompressedBytesUnquestioned, compressed_bytes * kDecompressionRatioMax);
}

}  // namespace

Decompressor::Decompressor() : sources_(std::make_unique<Sources>()) {}
Decompressor::~Decompressor() = default;

void Decompressor::start(Codec codec, ByteView compressed, std::size_t bytes_max) {
  check(compressed.size() <= kBodyBytesMax, "a body is part of a batch");
  codec_ = codec;
  produced_bytes_ = 0;
  produced_bytes_max_ = std::min(bytes_max, plausible_bytes_max(compressed.size()));
  if (codec != Codec::kNone && sources_->piece.empty()) sources_->piece.resize(kDecompressionPieceBytes);
  switch (codec) {
    case Codec::kNone:
      uncompressed_ = compressed;
      break;
    case Codec::kGzip:
      start_source(sources_->gzip, compressed);
      break;
    case Codec::kSnappy:
      sources_->snappy.start(compressed, produced_bytes_max_);
      break;
    case Codec::kLz4:
      start_source(sources_->lz4, compressed);
      break;
    case Codec::kZstd:
      start_source(sources_->zstd, compressed);
      break;
  }
}

Result<ByteView> Decompressor::next() {
  auto piece = next_unbounded();
  if (piece.has_error()) return piece;
  produced_bytes_ += piece->size();
  if (produced_bytes_ > produced_bytes_max_) return make_error_code(Errc::too_large);
  return piece;
}

Result<ByteView> Decompressor::next_unbounded() {
  switch (codec_) {
    case Codec::kNone:
      return std::exchange(uncompressed_, {});
    case Codec::kGzip:
      return sources_->gzip->next(sources_->piece);
    case Codec::kSnappy:
      return sources_->snappy.next();
    case Codec::kLz4:
      return sources_->lz4->next(sources_->piece);
    case Codec::kZstd:
      return sources_->zstd->next(sources_->piece);
  }
  return make_error_code(Errc::malformed);
}

Result<ByteView> decompress(Codec codec, ByteView compressed, std::size_t bytes_max, Decompressor& decompressor,
                            Bytes& buffer) {
  decompressor.start(codec, compressed, bytes_max);
  if (codec == Codec::kNone) return decompressor.next();
  buffer.clear();
  while (true) {
    TRY(const ByteView piece, decompressor.next());
    if (piece.empty()) return ByteView(buffer);
    buffer.insert(buffer.end(), piece.begin(), piece.end());
  }
}

}  // namespace braid::protocol
