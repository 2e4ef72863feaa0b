#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "protocol/base/bytes.h"
#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "protocol/records/batch_errc.h"
#include "protocol/records/decompression.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_errors.h"

namespace braid::protocol {

/// What a topic and a request allow a client's batch to be. The defaults are Kafka's.
struct BatchRules {
  std::size_t batch_bytes_max = 1'048'588;             // max.message.bytes; header included, compressed as it came
  std::size_t decompressed_bytes_max = 2'147'483'639;  // max.decompressed.message.bytes
  std::size_t segment_bytes_max = 1'073'741'824;       // segment.bytes
  TimestampType timestamp_type = TimestampType::kCreateTime;  // message.timestamp.type
  std::int64_t timestamp_before_ms_max = std::numeric_limits<std::int64_t>::max();
  std::int64_t timestamp_after_ms_max = 3'600'000;
  WallTime now;
  bool compacted = false;    // cleanup.policy holds compact
  bool zstd_allowed = true;  // false for Produce below version 7
};

/// What validation found out about a batch that may be stored.
struct ValidBatch {
  std::int32_t record_count = 0;
  std::size_t content_bytes = 0;                // the records, uncompressed
  std::int64_t max_timestamp = 0;               // the true one: of the records (CreateTime), or now (LogAppendTime)
  std::int32_t max_timestamp_offset_delta = 0;  // of the first record that has it
  bool timestamps_to_rewrite = false;           // the header says otherwise: settle_timestamps() must put it right
};

/// Judges a records field that a client sent for one partition: every check that concerns the batch itself, in the
/// order frame of the batch, magic, zstd version, one batch only, base offset, size, CRC, codec, header, records. The
/// first that fails decides; only among bad timestamps and keys, which are all listed in `record_errors`, does a
/// timestamp win. Errors are BatchErrc, whose header tells the Kafka codes.
///
/// Compressed content is looked at piece by piece and never held as a whole (but for a snappy block); nothing is
/// allocated by a size that the batch announces, and nothing at all in steady state.
///
/// `decompressor` and `record_errors` are the caller's to reuse; no other state. Null records have no bytes to judge:
/// the caller answers BatchErrc::null_records.
Result<ValidBatch> validate_batch(ByteView records_field, const BatchRules& rules, Decompressor& decompressor,
                                  RecordErrors& record_errors);

/// Writes what `valid` says the header lacks: LogAppendTime and now, or CreateTime and the true maximum; then the CRC.
/// Touches nothing when nothing differs. `batch` is the field that was validated by the same rules.
void settle_timestamps(MutableBytes batch, const ValidBatch& valid, const BatchRules& rules);

}  // namespace braid::protocol
