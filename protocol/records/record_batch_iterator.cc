#include "protocol/records/record_batch_iterator.h"

#include <cstdint>

#include "protocol/wire/reader.h"

namespace braid::protocol {

Result<std::optional<RecordBatch>> RecordBatchIterator::next() {
  if (rest_.empty()) return std::optional<RecordBatch>();
  if (rest_.size() < kBatchPrefixBytes) return make_error_code(Errc::truncated);
  const std::int32_t length = Reader(rest_.subspan(batch_layout::kBatchLength)).i32();
  if (length < kBatchLengthMin) return make_error_code(Errc::malformed);

  const std::size_t batch_bytes = kBatchPrefixBytes + static_cast<std::size_t>(length);
  if (rest_.size() < batch_bytes) return make_error_code(Errc::truncated);
  const RecordBatch batch(rest_.first(batch_bytes));
  if (batch.magic() != kBatchMagic) return make_error_code(Errc::malformed);
  rest_ = rest_.subspan(batch_bytes);
  return std::optional(batch);
}

}  // namespace braid::protocol
