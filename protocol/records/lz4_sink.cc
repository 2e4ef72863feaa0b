#include "protocol/records/lz4_sink.h"

#include <algorithm>
#include <new>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "protocol/records/codec_memory.h"

namespace braid::protocol {
namespace {

constexpr int kFastLevel = 0;

LZ4F_preferences_t preferences_for(int lz4_level) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.compressionLevel = lz4_level;
  return preferences;
}

/// Kafka's levels are those of its Java library: the default names the fast compressor, all others the thorough one.
int lz4_level_of(int kafka_level) {
  constexpr int kThoroughLevelMin = 3;  // below it lz4's own scale means the fast compressor
  if (kafka_level == level_range(Codec::kLz4).ordinary) return kFastLevel;
  return std::clamp(kafka_level, kThoroughLevelMin, LZ4F_compressionLevel_max());
}

std::size_t checked(std::size_t status) {
  if (lz4_lacks_memory(status)) throw std::bad_alloc();
  check(LZ4F_isError(status) == 0, "an lz4 context is whole and its staging large enough");
  return status;
}

}  // namespace

Lz4Sink::Lz4Sink() {
  if (LZ4F_isError(LZ4F_createCompressionContext(&context_, LZ4F_VERSION)) != 0) throw std::bad_alloc();
}

Lz4Sink::~Lz4Sink() { LZ4F_freeCompressionContext(context_); }

std::size_t Lz4Sink::staging_bytes() {
  const LZ4F_preferences_t preferences = preferences_for(kFastLevel);
  const std::size_t bytes = LZ4F_compressBound(kCompressionPieceBytes, &preferences);
  return std::max<std::size_t>(bytes, LZ4F_HEADER_SIZE_MAX);
}

void Lz4Sink::start(int level) {
  preferences_ = preferences_for(lz4_level_of(level));
  begun_ = false;
}

Result<void> Lz4Sink::begin_once(ByteSink& out, MutableBytes staging) {
  if (begun_) return ok();
  begun_ = true;
  return out.append(
      staging.first(checked(LZ4F_compressBegin(context_, staging.data(), staging.size(), &preferences_))));
}

Result<void> Lz4Sink::write(ByteView piece, ByteSink& out, MutableBytes staging) {
  TRY_DO(begin_once(out, staging));
  return out.append(staging.first(checked(
      LZ4F_compressUpdate(context_, staging.data(), staging.size(), piece.data(), piece.size(), /*options=*/nullptr))));
}

Result<void> Lz4Sink::finish(ByteSink& out, MutableBytes staging) {
  TRY_DO(begin_once(out, staging));
  return out.append(
      staging.first(checked(LZ4F_compressEnd(context_, staging.data(), staging.size(), /*options=*/nullptr))));
}

}  // namespace braid::protocol
