#include "protocol/records/compression.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "protocol/records/byte_sink.h"
#include "protocol/records/gzip_sink.h"
#include "protocol/records/lz4_sink.h"
#include "protocol/records/xerial_sink.h"
#include "protocol/records/zstd_sink.h"

namespace braid::protocol {

/// Each is made when a body first needs it and kept.
class Compressor::Sinks {
 public:
  ByteSink out;
  std::optional<GzipSink> gzip;
  std::optional<Lz4Sink> lz4;
  std::optional<ZstdSink> zstd;
  XerialSink xerial;
  std::vector<std::byte> staging;
};

namespace {

template <class Sink>
Sink& made(std::optional<Sink>& sink) {
  if (!sink) sink.emplace();
  return *sink;
}

}  // namespace

Compressor::Compressor() : sinks_(std::make_unique<Sinks>()) {}
Compressor::~Compressor() = default;

void Compressor::start(Codec codec, int level, Bytes& out, std::size_t out_bytes_max,
                       std::optional<std::size_t> content_bytes) {
  check(level_allowed(codec, level), "the codec has this level");
  codec_ = codec;
  sinks_->out = ByteSink(out, out_bytes_max);
  if (codec != Codec::kNone && sinks_->staging.empty()) {
    sinks_->staging.resize(std::max({kCompressionPieceBytes, Lz4Sink::staging_bytes(), XerialSink::staging_bytes()}));
  }
  switch (codec) {
    case Codec::kNone:
      break;
    case Codec::kGzip:
      made(sinks_->gzip).start(level);
      break;
    case Codec::kSnappy:
      sinks_->xerial.start();
      break;
    case Codec::kLz4:
      made(sinks_->lz4).start(level);
      break;
    case Codec::kZstd:
      made(sinks_->zstd).start(level, content_bytes);
      break;
  }
}

Result<void> Compressor::write(ByteView content) {
  if (codec_ == Codec::kNone) return sinks_->out.append(content);
  while (!content.empty()) {
    const ByteView piece = content.first(std::min(content.size(), kCompressionPieceBytes));
    TRY_DO(write_piece(piece));
    content = content.subspan(piece.size());
  }
  return ok();
}

Result<void> Compressor::write_piece(ByteView piece) {
  switch (codec_) {
    case Codec::kNone:
      break;
    case Codec::kGzip:
      return sinks_->gzip->write(piece, sinks_->out, sinks_->staging);
    case Codec::kSnappy:
      return sinks_->xerial.write(piece, sinks_->out, sinks_->staging);
    case Codec::kLz4:
      return sinks_->lz4->write(piece, sinks_->out, sinks_->staging);
    case Codec::kZstd:
      return sinks_->zstd->write(piece, sinks_->out, sinks_->staging);
  }
  return ok();
}

Result<void> Compressor::finish() {
  switch (codec_) {
    case Codec::kNone:
      break;
    case Codec::kGzip:
      return sinks_->gzip->finish(sinks_->out, sinks_->staging);
    case Codec::kSnappy:
      return sinks_->xerial.finish(sinks_->out, sinks_->staging);
    case Codec::kLz4:
      return sinks_->lz4->finish(sinks_->out, sinks_->staging);
    case Codec::kZstd:
      return sinks_->zstd->finish(sinks_->out, sinks_->staging);
  }
  return ok();
}

}  // namespace braid::protocol
