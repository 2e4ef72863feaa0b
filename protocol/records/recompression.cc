#include "protocol/records/recompression.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "protocol/base/limits.h"
#include "protocol/records/byte_sink.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

Result<void> append_body(const RecordBatch& batch, const TargetCodec& target, const RecompressionLimits& limits,
                         std::size_t out_bytes_max, Decompressor& decompressor, Compressor& compressor, Bytes& out) {
  decompressor.start(batch.codec(), batch.body(), limits.content_bytes_max);
  compressor.start(target.codec, target.level.value_or(level_range(target.codec).ordinary), out, out_bytes_max);
  while (true) {
    TRY(const ByteView piece, decompressor.next());
    if (piece.empty()) return compressor.finish();
    TRY_DO(compressor.write(piece));
  }
}

void settle_header(MutableBytes batch, Codec codec) {
  const int others = RecordBatch(batch).attributes() & ~kCodecMask;
  Writer(batch.subspan(batch_layout::kBatchLength)).i32(static_cast<std::int32_t>(batch.size() - kBatchPrefixBytes));
  Writer(batch.subspan(batch_layout::kAttributes)).i16(static_cast<std::int16_t>(others | static_cast<int>(codec)));
  renew_crc(batch);
}

}  // namespace

Result<void> recompress(const RecordBatch& batch, const TargetCodec& target, const RecompressionLimits& limits,
                        Decompressor& decompressor, Compressor& compressor, Bytes& out) {
  if (batch.codec_bits() > kCodecLast) return make_error_code(Errc::malformed);
  constexpr std::size_t kBatchBytesMax = kBatchPrefixBytes + std::numeric_limits<std::int32_t>::max();
  const std::size_t begin = out.size();
  const std::size_t out_bytes_max = begin + std::min(limits.batch_bytes_max, kBatchBytesMax);
  const bool copy = batch.codec() == target.codec || batch.control();

  ByteSink sink(out, out_bytes_max);
  TRY_DO(sink.append(copy ? batch.bytes() : batch.bytes().first(kBatchHeaderBytes)));
  if (copy) return ok();
  const auto appended = append_body(batch, target, limits, out_bytes_max, decompressor, compressor, out);
  if (appended.has_error()) {
    out.resize(begin);
    return appended;
  }
  settle_header(MutableBytes(out).subspan(begin), target.codec);
  return ok();
}

}  // namespace braid::protocol
