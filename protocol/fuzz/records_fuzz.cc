// Any bytes as a records field, by several rules. The oracle: what is valid reads to the end, has the maximum timestamp
// that was found, and holds the same records after it was rewritten in every codec, each of which is valid again.
#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "protocol/records/batch_validation.h"
#include "protocol/records/recompression.h"
#include "protocol/records/record_batch_iterator.h"
#include "protocol/records/record_iterator.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

constexpr std::size_t kContentBytesMax = 4 * 1024 * 1024;
constexpr std::int64_t kNow = 1'700'000'000'000;

BatchRules rules_by(std::uint8_t selector) {
  BatchRules rules;
  rules.now = WallTime{kNow};
  rules.decompressed_bytes_max = (selector & 1) != 0 ? 1000 : kContentBytesMax;
  rules.compacted = (selector & 2) != 0;
  rules.zstd_allowed = (selector & 4) == 0;
  if ((selector & 8) != 0) rules.timestamp_type = TimestampType::kLogAppendTime;
  if ((selector & 16) != 0) rules.timestamp_before_ms_max = 1000;
  if ((selector & 32) == 0) rules.timestamp_after_ms_max = std::numeric_limits<std::int64_t>::max();
  return rules;
}

// Memory in use, as the sanitizer's allocator reports it; only differences matter. One thread.
std::size_t live_bytes = 0;
std::size_t peak_bytes = 0;

void on_malloc(const volatile void* memory, std::size_t) {
  live_bytes += __sanitizer_get_allocated_size(memory);
  peak_bytes = std::max(peak_bytes, live_bytes);
}

void on_free(const volatile void* memory) {
  if (memory != nullptr) live_bytes -= __sanitizer_get_allocated_size(memory);
}

/// What outlives one input, so that each meets what the ones before left in it.
struct Tools {
  Decompressor decompressor;
  Compressor compressor;
  RecordErrors errors;
  Bytes buffer;
};

bool same(const std::optional<ByteView>& left, const std::optional<ByteView>& right) {
  return left.has_value() == right.has_value() && (!left || std::ranges::equal(*left, *right));
}

bool same(const Record& left, const Record& right) {
  if (left.offset != right.offset || left.timestamp != right.timestamp) return false;
  if (!same(left.key, right.key) || !same(left.value, right.value)) return false;
  RecordHeaders left_headers = left.headers;
  RecordHeaders right_headers = right.headers;
  while (const auto header = left_headers.next()) {
    const auto other = right_headers.next();
    if (!other || !std::ranges::equal(header->key, other->key) || !same(header->value, other->value)) return false;
  }
  return !right_headers.next();
}

void check_same_records(const RecordBatch& left, ByteView left_body, const RecordBatch& right, ByteView right_body) {
  RecordIterator left_records(left, left_body);
  RecordIterator right_records(right, right_body);
  while (true) {
    const auto left_record = left_records.next();
    const auto right_record = right_records.next();
    check(left_record.has_value() && right_record.has_value(), "records of a valid batch read");
    check(left_record->has_value() == right_record->has_value(), "as many records");
    if (!left_record->has_value()) return;
    check(same(**left_record, **right_record), "the same record");
  }
}

void check_rewriting(const RecordBatch& batch, ByteView body, const BatchRules& rules, Tools& tools) {
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    // A plain record may have attributes that a packed one may not.
    const RecompressionLimits limits{.batch_bytes_max = 2 * kContentBytesMax, .content_bytes_max = kContentBytesMax};
    Bytes rewritten;
    check(recompress(batch, {.codec = codec}, limits, tools.decompressor, tools.compressor, rewritten).has_value(),
          "a valid batch can be rewritten");
    BatchRules wide = rules;
    wide.batch_bytes_max = rewritten.size();
    wide.zstd_allowed = true;
    RecordErrors errors;
    const auto again = validate_batch(rewritten, wide, tools.decompressor, errors);
    const bool attributes_only = again.has_error() && again.error() == BatchErrc::compressed_record;
    check(again.has_value() || (attributes_only && batch.codec_bits() == 0), "it is valid again");
    Bytes buffer;
    const RecordBatch other(rewritten);
    const auto other_body = record_body(other, kContentBytesMax, tools.decompressor, buffer);
    check(other_body.has_value(), "it decompresses again");
    check_same_records(batch, body, other, *other_body);
  }
}

void check_settled(Bytes batch_bytes, const ValidBatch& valid, const BatchRules& rules, Tools& tools) {
  settle_timestamps(batch_bytes, valid, rules);
  const RecordBatch settled(batch_bytes);
  check(settled.crc_matches(), "settling keeps the CRC right");
  check(settled.timestamp_type() == rules.timestamp_type, "the type is the topic's");
  check(settled.max_timestamp() == valid.max_timestamp, "the maximum is the one found");
  BatchRules again = rules;
  if (rules.timestamp_type == TimestampType::kCreateTime) {
    const auto second = validate_batch(batch_bytes, again, tools.decompressor, tools.errors);
    check(second.has_value() && !second->timestamps_to_rewrite, "nothing is left to settle");
  }
}

void check_records_errors(const RecordErrors& errors) {
  check(errors.listed().size() <= kRecordErrorsMax, "the list is bounded");
  check(errors.total() >= errors.listed().size(), "all are counted");
}

void judge(Bytes field, const BatchRules& rules, Tools& tools) {
  const std::size_t before_bytes = peak_bytes = live_bytes;
  const auto valid = validate_batch(field, rules, tools.decompressor, tools.errors);
  check(peak_bytes - before_bytes <= kDecompressorBytesMax + kSnappyRatioMax * field.size(), "memory is bounded");
  check_records_errors(tools.errors);
  if (valid.has_error()) return;
  check_settled(field, *valid, rules, tools);

  const RecordBatch batch(field);
  const auto body = record_body(batch, kContentBytesMax, tools.decompressor, tools.buffer);
  check(body.has_value() && body->size() == valid->content_bytes, "a valid batch decompresses to what was counted");
  check_same_records(batch, *body, batch, *body);
  check_rewriting(batch, *body, rules, tools);
}

/// As a reader of a log or a fetch meets it: any batches, none of them judged.
void walk(ByteView field, Tools& tools) {
  RecordBatchIterator batches(field);
  while (true) {
    const auto batch = batches.next();
    if (batch.has_error() || !batch->has_value()) return;
    const auto body = record_body(**batch, kContentBytesMax, tools.decompressor, tools.buffer);
    if (body.has_error()) continue;
    RecordIterator records(**batch, *body);
    while (true) {
      const auto record = records.next();
      if (record.has_error() || !record->has_value()) break;
      RecordHeaders headers = (*record)->headers;
      while (headers.next()) continue;
    }
  }
}

/// Makes the frame right, so that mutated bodies get past it.
void repair(Bytes& field) {
  if (field.size() < kBatchHeaderBytes) return;
  Writer(MutableBytes(field).subspan(batch_layout::kBaseOffset)).i64(0);
  Writer(MutableBytes(field).subspan(batch_layout::kBatchLength))
      .i32(static_cast<std::int32_t>(field.size() - kBatchPrefixBytes));
  Writer(MutableBytes(field).subspan(batch_layout::kMagic)).i8(kBatchMagic);
  renew_crc(field);
}

}  // namespace
}  // namespace braid::protocol

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  braid::protocol::check(
      __sanitizer_install_malloc_and_free_hooks(braid::protocol::on_malloc, braid::protocol::on_free) != 0,
      "there is room for one more hook");
  return 0;
}

/// The input is the field. The low byte of its leader epoch, which nothing else looks at, selects the rules and whether
/// the frame is repaired: -1, as producers send it, means the widest rules and a repaired frame.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid::protocol;
  static Tools tools;
  const auto bytes = std::as_bytes(std::span(data, size));
  Bytes field(bytes.begin(), bytes.end());
  constexpr std::size_t kSelectorAt = batch_layout::kMagic - 1;
  const std::uint8_t selector = size > kSelectorAt ? static_cast<std::uint8_t>(~data[kSelectorAt]) : 0;
  walk(field, tools);
  if ((selector & 64) == 0) repair(field);
  judge(std::move(field), rules_by(selector), tools);
  return 0;
}
