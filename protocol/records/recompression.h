#pragma once

#include <cstddef>
#include <optional>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/compression.h"
#include "protocol/records/decompression.h"
#include "protocol/records/record_batch.h"

namespace braid::protocol {

/// What a batch is rewritten to; Codec::kNone unpacks it.
struct TargetCodec {
  Codec codec = Codec::kNone;
  std::optional<int> level{};  // none: the codec's ordinary one
};

/// Bounds of the rewriting: of its result, and of the content on its way, which is never held as a whole.
struct RecompressionLimits {
  std::size_t batch_bytes_max = 0;
  std::size_t content_bytes_max = 0;
};

/// Appends to `out` the same batch in another codec: length, codec bits and CRC are new, every other byte of the header
/// and every record are the same. A batch that has the codec already is copied: levels are no reason to pack again.
/// Control batches are copied always; they are never compressed.
///
/// Errc::too_large: a limit was passed. Errc::truncated, Errc::malformed: the body does not decompress. `out` is then
/// as it was.
Result<void> recompress(const RecordBatch& batch, const TargetCodec& target, const RecompressionLimits& limits,
                        Decompressor& decompressor, Compressor& compressor, Bytes& out);

}  // namespace braid::protocol
