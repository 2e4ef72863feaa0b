#include "protocol/records/body_validation.h"

#include <limits>

#include "protocol/records/body_stream.h"
#include "protocol/records/record_cursor.h"
#include "protocol/records/record_shape.h"

namespace braid::protocol {
namespace {

constexpr std::uint8_t kRecordCodecMask = 0x07;
constexpr std::int64_t kTimestampLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kTimestampHighest = std::numeric_limits<std::int64_t>::max();

/// now - before and now + after, kept within 64 bits: the defaults lead out of them.
std::int64_t earliest_of(const BatchRules& rules) {
  std::int64_t earliest = 0;
  if (__builtin_sub_overflow(rules.now.milliseconds, rules.timestamp_before_ms_max, &earliest)) return kTimestampLowest;
  return rules.timestamp_before_ms_max == kTimestampHighest ? kTimestampLowest : earliest;
}

std::int64_t latest_of(const BatchRules& rules) {
  std::int64_t latest = 0;
  if (__builtin_add_overflow(rules.now.milliseconds, rules.timestamp_after_ms_max, &latest)) return kTimestampHighest;
  return latest;
}

/// Judges what one well-formed record says, and keeps what all of them add up to.
class RecordJudge {
 public:
  RecordJudge(const RecordBatch& batch, const BatchRules& rules, RecordErrors& errors)
      : forbidden_attributes_(batch.codec_bits() != 0 ? kRecordCodecMask : std::uint8_t{0}),
        create_time_(rules.timestamp_type == TimestampType::kCreateTime),
        compacted_(rules.compacted),
        log_append_bit_(batch.timestamp_type() == TimestampType::kLogAppendTime),
        // Readers of such a batch see its maxTimestamp in every record.
        log_append_refused_(log_append_bit_ && (!create_time_ || batch.max_timestamp() == kNoTimestamp)),
        base_timestamp_(batch.base_timestamp()),
        earliest_(earliest_of(rules)),
        latest_(latest_of(rules)),
        errors_(errors) {}

  /// False for a fault that refuses the batch at once: ask fault(). Those that are listed record by record are noted.
  bool accepts(std::int32_t index, const RecordShape& shape) {
    if (shape.offset_delta != index) [[unlikely]] {
      fault_ = BatchErrc::offset_delta_out_of_order;
      return false;
    }
    if ((shape.attributes & forbidden_attributes_) != 0) [[unlikely]] {
      fault_ = BatchErrc::compressed_record;
      return false;
    }
    const std::int64_t timestamp = add_delta(base_timestamp_, shape.timestamp_delta);
    if (compacted_ && shape.key_bytes < 0) [[unlikely]]
      errors_.add({index, BatchErrc::null_key, timestamp});
    const bool out_of_range = timestamp < earliest_ || timestamp > latest_;
    if (out_of_range || log_append_bit_) [[unlikely]]
      judge_timestamp(index, timestamp, out_of_range);
    if (timestamp > findings_.max_timestamp || index == 0) {
      findings_.max_timestamp = timestamp;
      findings_.max_timestamp_offset_delta = index;
    }
    return true;
  }

  boost::system::error_code fault() const { return make_error_code(fault_); }
  const BodyFindings& findings() const { return findings_; }

 private:
  [[gnu::noinline]] void judge_timestamp(std::int32_t index, std::int64_t timestamp, bool out_of_range) {
    if (create_time_ && out_of_range && timestamp != kNoTimestamp) {
      errors_.add({index, BatchErrc::timestamp_out_of_range, timestamp});
    } else if (log_append_refused_ || (log_append_bit_ && timestamp == kNoTimestamp)) {
      errors_.add({index, BatchErrc::timestamp_type_from_client, timestamp});
    }
  }

  const std::uint8_t forbidden_attributes_;
  const bool create_time_;
  const bool compacted_;
  const bool log_append_bit_;
  const bool log_append_refused_;
  const std::int64_t base_timestamp_;
  const std::int64_t earliest_;
  const std::int64_t latest_;
  RecordErrors& errors_;
  BatchErrc fault_{};
  BodyFindings findings_;
};

/// The content ended where it should not have: by its codec, or else in the way that `otherwise` says.
boost::system::error_code early_end(const BodyStream& body, BatchErrc otherwise) {
  if (!body.failure()) return make_error_code(otherwise);
  return make_error_code(body.failure() == Errc::too_large ? BatchErrc::decompressed_too_large
                                                           : BatchErrc::undecodable_body);
}

Result<RecordShape> read_record_over_pieces(BodyStream& body) {
  if (!body.fetch()) return early_end(body, BatchErrc::too_few_records);
  StreamCursor length_in(body, kVarintBytesMax);
  const std::int32_t length = length_in.varint();
  if (!length_in.ok() || length < 0) return early_end(body, BatchErrc::malformed_record);
  StreamCursor in(body, static_cast<std::size_t>(length));
  const RecordShape shape = read_record_shape(in);
  if (!well_formed(in)) return early_end(body, BatchErrc::malformed_record);
  return shape;
}

/// Judges the records that lie whole in what is buffered, from `index` on; returns the index of the next.
Result<std::int32_t> judge_buffered(BodyStream& body, std::int32_t index, std::int32_t count, RecordJudge& judge) {
  RecordCursor in(body.buffered());
  for (; index < count; ++index) {
    RecordCursor length_in = in;
    const std::int32_t length = length_in.varint();
    if (!length_in.ok() || length < 0 || static_cast<std::size_t>(length) > length_in.remaining()) break;
    RecordCursor record_in(length_in.rest().first(static_cast<std::size_t>(length)));
    const RecordShape shape = read_record_shape(record_in);
    if (!well_formed(record_in)) return make_error_code(BatchErrc::malformed_record);
    if (!judge.accepts(index, shape)) return judge.fault();
    in = length_in;
    in.skip(static_cast<std::size_t>(length));
  }
  body.consume(in.position());
  return index;
}

}  // namespace

Result<BodyFindings> validate_body(const RecordBatch& batch, const BatchRules& rules, Decompressor& decompressor,
                                   RecordErrors& record_errors) {
  const bool compressed = batch.codec_bits() != 0;
  const std::size_t bytes_max = compressed ? rules.decompressed_bytes_max : batch.body().size();
  decompressor.start(batch.codec(), batch.body(), bytes_max);
  BodyStream body(decompressor);
  RecordJudge judge(batch, rules, record_errors);

  const std::int32_t count = batch.record_count();
  std::int32_t index = 0;
  while (index < count) {
    static_cast<void>(body.fetch());
    TRY(index, judge_buffered(body, index, count, judge));
    if (index == count) break;
    TRY(const RecordShape shape, read_record_over_pieces(body));
    if (!judge.accepts(index, shape)) return judge.fault();
    ++index;
  }
  if (body.fetch()) return make_error_code(BatchErrc::bytes_after_records);
  if (body.failure()) return early_end(body, BatchErrc::undecodable_body);
  if (!record_errors.empty()) return make_error_code(record_errors.decisive());
  BodyFindings findings = judge.findings();
  findings.content_bytes = decompressor.produced_bytes();
  return findings;
}

}  // namespace braid::protocol
