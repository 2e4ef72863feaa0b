#include "protocol/records/batch_validation.h"

#include "protocol/records/body_validation.h"
#include "protocol/wire/reader.h"

namespace braid::protocol {
namespace {

constexpr std::int8_t kOldMagicLast = 1;
constexpr std::int32_t kOldBatchLengthMin = 14;  // magic 0: crc, magic, attributes, two null lengths
constexpr std::size_t kThroughMagicBytes = batch_layout::kMagic + 1;

/// The size of the batch at the field's begin: its frame, then its magic.
Result<std::size_t> check_frame(ByteView field) {
  if (field.size() < kBatchPrefixBytes) return make_error_code(BatchErrc::no_batch);
  const std::int32_t length = Reader(field.subspan(batch_layout::kBatchLength)).i32();
  if (length < kOldBatchLengthMin) return make_error_code(BatchErrc::bad_batch_length);
  if (field.size() < kThroughMagicBytes) return make_error_code(BatchErrc::no_batch);

  // Old batches are shorter than our header: they are old, not broken.
  const std::int8_t magic = Reader(field.subspan(batch_layout::kMagic)).i8();
  const bool old = magic >= 0 && magic <= kOldMagicLast;
  if (!old && length < kBatchLengthMin) return make_error_code(BatchErrc::bad_batch_length);
  const std::size_t batch_bytes = kBatchPrefixBytes + static_cast<std::size_t>(length);
  if (field.size() < batch_bytes) return make_error_code(BatchErrc::batch_cut_short);
  if (old) return make_error_code(BatchErrc::old_magic);
  if (magic != kBatchMagic) return make_error_code(BatchErrc::unknown_magic);
  return batch_bytes;
}

/// Whether a second batch, as opposed to a part of one or any other bytes, begins here.
bool holds_batch(ByteView rest) {
  if (rest.size() < kBatchHeaderBytes) return false;
  const std::int32_t length = RecordBatch(rest).batch_length();
  return length >= kBatchLengthMin && static_cast<std::size_t>(length) <= rest.size() - kBatchPrefixBytes;
}

Result<void> check_header(const RecordBatch& batch) {
  const std::int32_t count = batch.record_count();
  if (count <= 0 || batch.last_offset_delta() != count - 1) return make_error_code(BatchErrc::bad_record_count);
  if (batch.control()) return make_error_code(BatchErrc::control_batch_from_client);
  if (batch.has_producer_id() && batch.base_sequence() < 0) return make_error_code(BatchErrc::no_sequence);
  if (!batch.has_producer_id() && batch.transactional()) return make_error_code(BatchErrc::no_producer_id);
  return ok();
}

/// All that can be told without reading records.
Result<RecordBatch> check_around_records(ByteView field, const BatchRules& rules) {
  TRY(const std::size_t batch_bytes, check_frame(field));
  const RecordBatch batch(field.first(batch_bytes));
  const ByteView rest = field.subspan(batch_bytes);
  const bool zstd = batch.codec_bits() == static_cast<std::uint8_t>(Codec::kZstd);
  if (zstd && !rules.zstd_allowed) return make_error_code(BatchErrc::zstd_too_early);
  if (holds_batch(rest)) return make_error_code(BatchErrc::several_batches);
  if (batch.base_offset() != 0) return make_error_code(BatchErrc::base_offset_not_zero);
  if (batch_bytes > rules.batch_bytes_max) return make_error_code(BatchErrc::batch_too_large);
  // A length that is wrong by little leaves bytes over and breaks the CRC, which says more.
  if (!batch.crc_matches()) return make_error_code(BatchErrc::crc_mismatch);
  if (!rest.empty()) return make_error_code(BatchErrc::bytes_after_batch);
  if (batch.codec_bits() > kCodecLast) return make_error_code(BatchErrc::unknown_codec);
  TRY_DO(check_header(batch));
  return batch;
}

}  // namespace

Result<ValidBatch> validate_batch(ByteView records_field, const BatchRules& rules, Decompressor& decompressor,
                                  RecordErrors& record_errors) {
  record_errors.clear();
  TRY(const RecordBatch batch, check_around_records(records_field, rules));
  TRY(const BodyFindings body, validate_body(batch, rules, decompressor, record_errors));
  if (batch.bytes().size() > rules.segment_bytes_max) return make_error_code(BatchErrc::larger_than_segment);

  ValidBatch valid{.record_count = batch.record_count(), .content_bytes = body.content_bytes};
  if (rules.timestamp_type == TimestampType::kLogAppendTime) {
    valid.max_timestamp = rules.now.milliseconds;
    valid.max_timestamp_offset_delta = 0;
    valid.timestamps_to_rewrite = true;
  } else {
    valid.max_timestamp = body.max_timestamp;
    valid.max_timestamp_offset_delta = body.max_timestamp_offset_delta;
    valid.timestamps_to_rewrite =
        batch.max_timestamp() != body.max_timestamp || batch.timestamp_type() == TimestampType::kLogAppendTime;
  }
  return valid;
}

void settle_timestamps(MutableBytes batch, const ValidBatch& valid, const BatchRules& rules) {
  if (!valid.timestamps_to_rewrite) return;
  switch (rules.timestamp_type) {
    case TimestampType::kCreateTime:
      return set_create_time(batch, valid.max_timestamp);
    case TimestampType::kLogAppendTime:
      return set_log_append_time(batch, rules.now);
  }
}

}  // namespace braid::protocol
