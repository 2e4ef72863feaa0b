#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/compression.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_iterator.h"

namespace braid::protocol {

/// The header fields of a batch that its records do not decide. As a producer without idempotence has them.
struct BatchProperties {
  std::int64_t base_offset = 0;
  std::int32_t partition_leader_epoch = kNoLeaderEpoch;
  Codec codec = Codec::kNone;
  std::optional<int> level{};                     // none: the codec's ordinary one
  std::optional<std::int64_t> log_append_time{};  // then it is the timestamp of every record
  std::int64_t producer_id = kNoProducerId;
  std::int16_t producer_epoch = kNoProducerEpoch;
  std::int32_t base_sequence = kNoSequence;
  bool transactional = false;
  bool control = false;
};

/// One record to be added; borrowed only for the call.
struct NewRecord {
  std::int64_t timestamp = kNoTimestamp;
  std::optional<ByteView> key{};
  std::optional<ByteView> value{};
  std::span<const RecordHeader> headers{};
};

/// Builds batches, one after the other, in memory that it keeps. Offset deltas are 0, 1, 2 …; the first record's
/// timestamp is the base timestamp. One thread.
class RecordBatchBuilder {
 public:
  /// Begins a batch; what was added before is dropped.
  void start(const BatchProperties& properties);

  void add(const NewRecord& record);

  std::int32_t record_count() const { return record_count_; }
  /// What the batch will take without compression.
  std::size_t uncompressed_bytes() const { return kBatchHeaderBytes + content_.size(); }

  /// Appends the batch to `out`, whose size as a whole may come to `out_bytes_max`. Without records it is the empty
  /// batch that compaction leaves. Errc::too_large: `out` is as it was. start() must come next.
  Result<void> finish(Compressor& compressor, Bytes& out, std::size_t out_bytes_max);

 private:
  BatchProperties properties_;
  Bytes content_;
  std::int32_t record_count_ = 0;
  std::int64_t base_timestamp_ = kNoTimestamp;
  std::int64_t max_timestamp_ = kNoTimestamp;
};

/// One batch of these records; `bytes_max` bounds it.
Result<Bytes> build_batch(const BatchProperties& properties, std::span<const NewRecord> records, Compressor& compressor,
                          std::size_t bytes_max);

}  // namespace braid::protocol
