// Timestamps of records: the range at its exact borders, the type bit, and the maximum that the broker writes.
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/limits.h"
#include "protocol/records/batch_validation.h"
#include "protocol/records/test_batches.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

constexpr std::int64_t kNow = kExampleTimestamp;
constexpr std::int64_t kBefore = 1'000;
constexpr std::int64_t kAfter = 2'000;
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

BatchRules narrow_rules() {
  BatchRules rules;
  rules.now = WallTime{kNow};
  rules.timestamp_before_ms_max = kBefore;
  rules.timestamp_after_ms_max = kAfter;
  return rules;
}

Bytes batch_with(Codec codec, const std::vector<std::int64_t>& timestamps) {
  std::vector<OwnedRecord> records;
  for (const std::int64_t timestamp : timestamps) records.push_back({.timestamp = timestamp, .key = "k"});
  return build_owned({.codec = codec}, records);
}

struct Judged {
  Result<ValidBatch> result;
  RecordErrors errors;
};

Judged judge(ByteView field, const BatchRules& rules) {
  Decompressor decompressor;
  RecordErrors errors;
  auto result = validate_batch(field, rules, decompressor, errors);
  return {std::move(result), std::move(errors)};
}

void set_log_append_bit(Bytes& batch) {
  const auto attributes = static_cast<std::int16_t>(RecordBatch(batch).attributes() | kLogAppendTimeBit);
  Writer(MutableBytes(batch).subspan(batch_layout::kAttributes)).i16(attributes);
  renew_crc(batch);
}

void claim_max_timestamp(Bytes& batch, std::int64_t timestamp) {
  Writer(MutableBytes(batch).subspan(batch_layout::kMaxTimestamp)).i64(timestamp);
  renew_crc(batch);
}

class Timestamps : public testing::TestWithParam<Codec> {};
INSTANTIATE_TEST_SUITE_P(Codecs, Timestamps, testing::ValuesIn(kAllCodecs),
                         [](const auto& test) { return std::string(codec_name(test.param)); });

TEST_P(Timestamps, AtTheBordersAreTakenAndOneBeyondRefused) {
  for (const std::int64_t taken : {kNow - kBefore, kNow, kNow + kAfter, kNoTimestamp}) {
    EXPECT_TRUE(judge(batch_with(GetParam(), {taken}), narrow_rules()).result.has_value()) << taken;
  }
  for (const std::int64_t refused :
       {kNow - kBefore - 1, kNow + kAfter + 1, std::int64_t{0}, std::int64_t{-2}, kLowest, kHighest}) {
    EXPECT_EQ(judge(batch_with(GetParam(), {refused}), narrow_rules()).result.error(),
              make_error_code(BatchErrc::timestamp_out_of_range))
        << refused;
  }
}

TEST_P(Timestamps, AreFreeBeforeNowByDefault) {
  BatchRules rules;
  rules.now = WallTime{kNow};
  EXPECT_TRUE(judge(batch_with(GetParam(), {0}), rules).result.has_value());
  EXPECT_TRUE(judge(batch_with(GetParam(), {kLowest}), rules).result.has_value());
  EXPECT_TRUE(judge(batch_with(GetParam(), {kNow + 3'600'000}), rules).result.has_value());
  EXPECT_EQ(judge(batch_with(GetParam(), {kNow + 3'600'001}), rules).result.error(),
            make_error_code(BatchErrc::timestamp_out_of_range));
  rules.timestamp_after_ms_max = kHighest;
  EXPECT_TRUE(judge(batch_with(GetParam(), {kHighest}), rules).result.has_value());
}

TEST_P(Timestamps, OutOfRangeAreListedFirstMiddleAndLast) {
  const std::int64_t late = kNow + kAfter + 1;
  const auto [result, errors] = judge(batch_with(GetParam(), {late, kNow, late, kNow, late}), narrow_rules());
  EXPECT_EQ(result.error(), make_error_code(BatchErrc::timestamp_out_of_range));
  ASSERT_EQ(errors.listed().size(), 3U);
  EXPECT_EQ(errors.listed()[0].index, 0);
  EXPECT_EQ(errors.listed()[1].index, 2);
  EXPECT_EQ(errors.listed()[2].index, 4);
  EXPECT_NE(to_message(errors.listed()[2]).find(std::to_string(late)), std::string::npos);
}

TEST_P(Timestamps, WinOverNullKeys) {
  const std::vector<OwnedRecord> records = {{.timestamp = kNow}, {.timestamp = kNow + kAfter + 1, .key = "k"}};
  BatchRules rules = narrow_rules();
  rules.compacted = true;
  const auto [result, errors] = judge(build_owned({.codec = GetParam()}, records), rules);
  EXPECT_EQ(result.error(), make_error_code(BatchErrc::timestamp_out_of_range));
  EXPECT_EQ(errors.total(), 2U);
}

TEST_P(Timestamps, WithAWrongMaximumAreStoredWithTheTrueOne) {
  for (const std::int64_t claimed : {kNow + 1, kNow - 1, kNoTimestamp, kHighest, kLowest}) {
    Bytes batch = batch_with(GetParam(), {kNow - 5, kNow, kNow - 7, kNow});
    const Bytes right = batch;
    claim_max_timestamp(batch, claimed);
    const auto [result, errors] = judge(batch, narrow_rules());
    ASSERT_TRUE(result.has_value()) << claimed;
    EXPECT_TRUE(result->timestamps_to_rewrite);
    EXPECT_EQ(result->max_timestamp, kNow);
    EXPECT_EQ(result->max_timestamp_offset_delta, 1);
    settle_timestamps(batch, *result, narrow_rules());
    EXPECT_EQ(batch, right);
  }
}

TEST_P(Timestamps, BelowNoTimestampHaveAMaximumToo) {
  BatchRules rules;
  rules.now = WallTime{kNow};
  const auto [result, errors] = judge(batch_with(GetParam(), {kLowest, kLowest + 5, kLowest + 5}), rules);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->max_timestamp, kLowest + 5);
  EXPECT_EQ(result->max_timestamp_offset_delta, 1);
}

TEST_P(Timestamps, WithTheRightMaximumAreLeftAlone) {
  Bytes batch = batch_with(GetParam(), {kNow - 5, kNow});
  batch[batch_layout::kPartitionLeaderEpoch] = std::byte{7};  // not covered by the CRC, nor to be touched
  const Bytes before = batch;
  const auto [result, errors] = judge(batch, narrow_rules());
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->timestamps_to_rewrite);
  settle_timestamps(batch, *result, narrow_rules());
  EXPECT_EQ(batch, before);
}

TEST_P(Timestamps, OfALogAppendTimeTopicAreNotRangeCheckedAndBecomeNow) {
  BatchRules rules = narrow_rules();
  rules.timestamp_type = TimestampType::kLogAppendTime;
  Bytes batch = batch_with(GetParam(), {0, kHighest, kNoTimestamp});
  const auto [result, errors] = judge(batch, rules);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->max_timestamp, kNow);
  EXPECT_EQ(result->max_timestamp_offset_delta, 0);
  settle_timestamps(batch, *result, rules);
  EXPECT_TRUE(RecordBatch(batch).crc_matches());
  for (const OwnedRecord& record : read_owned(batch)) EXPECT_EQ(record.timestamp, kNow);
}

TEST_P(Timestamps, TypeBitFromAClientIsRefusedOnALogAppendTimeTopic) {
  BatchRules rules = narrow_rules();
  rules.timestamp_type = TimestampType::kLogAppendTime;
  Bytes batch = batch_with(GetParam(), {kNow, kNow});
  set_log_append_bit(batch);
  const auto [result, errors] = judge(batch, rules);
  EXPECT_EQ(result.error(), make_error_code(BatchErrc::timestamp_type_from_client));
  EXPECT_EQ(errors.total(), 2U);
}

TEST_P(Timestamps, TypeBitFromAClientIsClearedOnACreateTimeTopic) {
  Bytes batch = batch_with(GetParam(), {kNow, kNow + 1});
  const Bytes right = batch;
  set_log_append_bit(batch);
  const auto [result, errors] = judge(batch, narrow_rules());
  ASSERT_TRUE(result.has_value()) << result.error().message();
  EXPECT_TRUE(result->timestamps_to_rewrite);
  settle_timestamps(batch, *result, narrow_rules());
  EXPECT_EQ(batch, right);
}

TEST_P(Timestamps, TypeBitBesideNoTimestampIsRefused) {
  Bytes in_record = batch_with(GetParam(), {kNow, kNoTimestamp});
  set_log_append_bit(in_record);
  const auto [first, first_errors] = judge(in_record, narrow_rules());
  EXPECT_EQ(first.error(), make_error_code(BatchErrc::timestamp_type_from_client));
  EXPECT_EQ(first_errors.listed().front().index, 1);

  Bytes in_header = batch_with(GetParam(), {kNow, kNow});
  set_log_append_bit(in_header);
  claim_max_timestamp(in_header, kNoTimestamp);
  EXPECT_EQ(judge(in_header, narrow_rules()).result.error(), make_error_code(BatchErrc::timestamp_type_from_client));
}

TEST(RecordErrors, ListsABoundedNumberAndCountsAll) {
  std::vector<std::int64_t> timestamps(kRecordErrorsMax + 5, 0);
  const auto [result, errors] = judge(batch_with(Codec::kZstd, timestamps), narrow_rules());
  EXPECT_EQ(result.error(), make_error_code(BatchErrc::timestamp_out_of_range));
  EXPECT_EQ(errors.listed().size(), kRecordErrorsMax);
  EXPECT_EQ(errors.total(), kRecordErrorsMax + 5);
}

}  // namespace
}  // namespace braid::protocol
