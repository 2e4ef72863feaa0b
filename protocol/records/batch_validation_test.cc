// Every kind of bad batch, built by hand to be wrong in one place: plain and in each codec, with the bad record first,
// in the middle and last. The CRC is right unless it is the point.
#include "protocol/records/batch_validation.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "protocol/records/test_batches.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

constexpr std::int32_t kRecordCount = 3;
constexpr std::int32_t kInt32Max = std::numeric_limits<std::int32_t>::max();

BatchRules rules_at_example_time() {
  BatchRules rules;
  rules.now = WallTime{kExampleTimestamp};
  return rules;
}

Result<ValidBatch> validate(ByteView field, const BatchRules& rules = rules_at_example_time()) {
  Decompressor decompressor;
  RecordErrors errors;
  return validate_batch(field, rules, decompressor, errors);
}

template <class Value>
void put(Bytes& batch, std::size_t field, Value value) {
  Writer out(MutableBytes(batch).subspan(field));
  if constexpr (sizeof(Value) == 1) out.i8(static_cast<std::int8_t>(value));
  if constexpr (sizeof(Value) == 2) out.i16(static_cast<std::int16_t>(value));
  if constexpr (sizeof(Value) == 4) out.i32(static_cast<std::int32_t>(value));
  if constexpr (sizeof(Value) == 8) out.i64(static_cast<std::int64_t>(value));
}

void add_to_batch_length(Bytes& batch, std::int32_t difference) {
  put(batch, batch_layout::kBatchLength, RecordBatch(batch).batch_length() + difference);
}

void set_attributes(Bytes& batch, int bits) {
  put(batch, batch_layout::kAttributes, static_cast<std::int16_t>(RecordBatch(batch).attributes() | bits));
}

/// A whole field made wrong, given a right batch of three records in the codec.
struct FieldCase {
  const char* name;
  BatchErrc expected;
  std::function<void(Bytes&)> spoil;
  bool crc_is_the_point = false;
  bool zstd_only = false;
  std::function<void(BatchRules&)> change_rules = nullptr;
};

const FieldCase kFieldCases[] = {
    {"CrcWrongByOneBit", BatchErrc::crc_mismatch, [](Bytes& b) { b[batch_layout::kCrc + 3] ^= std::byte{1}; }, true},
    {"LastByteWrongByOneBit", BatchErrc::crc_mismatch, [](Bytes& b) { b.back() ^= std::byte{0x80}; }, true},
    {"FirstCoveredByteWrong", BatchErrc::crc_mismatch,
     [](Bytes& b) { b[batch_layout::kAttributes] ^= std::byte{0x80}; }, true},
    {"LengthOneTooSmall", BatchErrc::crc_mismatch, [](Bytes& b) { add_to_batch_length(b, -1); }, true},
    {"LengthOneTooLarge", BatchErrc::batch_cut_short, [](Bytes& b) { add_to_batch_length(b, 1); }, true},
    {"LengthMax", BatchErrc::batch_cut_short, [](Bytes& b) { put(b, batch_layout::kBatchLength, kInt32Max); }, true},
    {"LengthNegative", BatchErrc::bad_batch_length, [](Bytes& b) { put(b, batch_layout::kBatchLength, -1); }, true},
    {"LengthLowest", BatchErrc::bad_batch_length,
     [](Bytes& b) { put(b, batch_layout::kBatchLength, std::numeric_limits<std::int32_t>::min()); }, true},
    {"LengthZero", BatchErrc::bad_batch_length, [](Bytes& b) { put(b, batch_layout::kBatchLength, 0); }, true},
    {"LengthBelowHeader", BatchErrc::bad_batch_length, [](Bytes& b) { put(b, batch_layout::kBatchLength, 48); }, true},
    {"BaseOffsetOne", BatchErrc::base_offset_not_zero,
     [](Bytes& b) { put(b, batch_layout::kBaseOffset, std::int64_t{1}); }},
    {"BaseOffsetNegative", BatchErrc::base_offset_not_zero,
     [](Bytes& b) { put(b, batch_layout::kBaseOffset, std::int64_t{-1}); }},
    {"CountZero", BatchErrc::bad_record_count, [](Bytes& b) { put(b, batch_layout::kRecordCount, 0); }},
    {"CountZeroAndDeltaBefore", BatchErrc::bad_record_count,
     [](Bytes& b) {
       put(b, batch_layout::kRecordCount, 0);
       put(b, batch_layout::kLastOffsetDelta, -1);
     }},
    {"CountNegative", BatchErrc::bad_record_count, [](Bytes& b) { put(b, batch_layout::kRecordCount, -1); }},
    {"CountMax", BatchErrc::bad_record_count, [](Bytes& b) { put(b, batch_layout::kRecordCount, kInt32Max); }},
    {"CountLowestAndDeltaMax", BatchErrc::bad_record_count,
     [](Bytes& b) {
       put(b, batch_layout::kRecordCount, std::numeric_limits<std::int32_t>::min());
       put(b, batch_layout::kLastOffsetDelta, kInt32Max);
     }},
    {"CountMaxWithItsDelta", BatchErrc::too_few_records,
     [](Bytes& b) {
       put(b, batch_layout::kRecordCount, kInt32Max);
       put(b, batch_layout::kLastOffsetDelta, kInt32Max - 1);
     }},
    {"CountOneTooLarge", BatchErrc::bad_record_count, [](Bytes& b) { put(b, batch_layout::kRecordCount, 4); }},
    {"OneRecordMoreDeclared", BatchErrc::too_few_records,
     [](Bytes& b) {
       put(b, batch_layout::kRecordCount, 4);
       put(b, batch_layout::kLastOffsetDelta, 3);
     }},
    {"OneRecordFewerDeclared", BatchErrc::bytes_after_records,
     [](Bytes& b) {
       put(b, batch_layout::kRecordCount, 2);
       put(b, batch_layout::kLastOffsetDelta, 1);
     }},
    {"LastOffsetDeltaNegative", BatchErrc::bad_record_count,
     [](Bytes& b) { put(b, batch_layout::kLastOffsetDelta, -1); }},
    {"LastOffsetDeltaMax", BatchErrc::bad_record_count,
     [](Bytes& b) { put(b, batch_layout::kLastOffsetDelta, kInt32Max); }},
    {"TwoBatches", BatchErrc::several_batches,
     [](Bytes& b) {
       const Bytes copy = b;
       b.insert(b.end(), copy.begin(), copy.end());
     },
     true},
    {"BatchAndAHalf", BatchErrc::bytes_after_batch,
     [](Bytes& b) {
       const Bytes copy = b;
       b.insert(b.end(), copy.begin(), copy.end() - 1);
     },
     true},
    {"OneByteAfter", BatchErrc::bytes_after_batch, [](Bytes& b) { b.push_back(std::byte{0}); }, true},
    {"EmptyField", BatchErrc::no_batch, [](Bytes& b) { b.clear(); }, true},
    {"LessThanALength", BatchErrc::no_batch, [](Bytes& b) { b.resize(11); }, true},
    {"NoMagic", BatchErrc::no_batch, [](Bytes& b) { b.resize(16); }, true},
    {"LessThanAHeader", BatchErrc::batch_cut_short, [](Bytes& b) { b.resize(60); }, true},
    {"OneByteShort", BatchErrc::batch_cut_short, [](Bytes& b) { b.pop_back(); }, true},
    {"ControlBit", BatchErrc::control_batch_from_client, [](Bytes& b) { set_attributes(b, kControlBit); }},
    {"ProducerWithoutSequence", BatchErrc::no_sequence,
     [](Bytes& b) { put(b, batch_layout::kProducerId, std::int64_t{0}); }},
    {"TransactionalWithoutProducer", BatchErrc::no_producer_id, [](Bytes& b) { set_attributes(b, kTransactionalBit); }},
    {"Magic0", BatchErrc::old_magic, [](Bytes& b) { put(b, batch_layout::kMagic, std::int8_t{0}); }, true},
    {"Magic1", BatchErrc::old_magic, [](Bytes& b) { put(b, batch_layout::kMagic, std::int8_t{1}); }, true},
    {"Magic1Short", BatchErrc::old_magic,
     [](Bytes& b) {
       put(b, batch_layout::kMagic, std::int8_t{1});
       put(b, batch_layout::kBatchLength, 22);
       b.resize(34);
     },
     true},
    {"Magic3", BatchErrc::unknown_magic, [](Bytes& b) { put(b, batch_layout::kMagic, std::int8_t{3}); }, true},
    {"MagicMax", BatchErrc::unknown_magic, [](Bytes& b) { put(b, batch_layout::kMagic, std::int8_t{127}); }, true},
    {"MagicNegative", BatchErrc::unknown_magic, [](Bytes& b) { put(b, batch_layout::kMagic, std::int8_t{-1}); }, true},
    {"Codec5", BatchErrc::unknown_codec, [](Bytes& b) { put(b, batch_layout::kAttributes, std::int16_t{5}); }},
    {"Codec6", BatchErrc::unknown_codec, [](Bytes& b) { put(b, batch_layout::kAttributes, std::int16_t{6}); }},
    {"Codec7", BatchErrc::unknown_codec, [](Bytes& b) { put(b, batch_layout::kAttributes, std::int16_t{7}); }},
    {"ZstdBeforeVersion7", BatchErrc::zstd_too_early, [](Bytes&) {}, false, true,
     [](BatchRules& rules) { rules.zstd_allowed = false; }},
    {"OneByteAboveMaxMessageBytes", BatchErrc::batch_too_large, [](Bytes&) {}, false, false,
     [](BatchRules& rules) { rules.batch_bytes_max = 1; }},
    {"LargerThanSegment", BatchErrc::larger_than_segment, [](Bytes&) {}, false, false,
     [](BatchRules& rules) { rules.segment_bytes_max = 1; }},
};

struct FieldParam {
  const FieldCase* given;
  Codec codec;
};

std::vector<FieldParam> field_params() {
  std::vector<FieldParam> params;
  for (const FieldCase& given : kFieldCases) {
    for (const Codec codec : kAllCodecs) {
      if (!given.zstd_only || codec == Codec::kZstd) params.push_back({&given, codec});
    }
  }
  return params;
}

class BadField : public testing::TestWithParam<FieldParam> {};

TEST_P(BadField, IsRefusedForItsReason) {
  const FieldCase& given = *GetParam().given;
  Bytes field = plain_batch(GetParam().codec, kRecordCount);
  ASSERT_TRUE(validate(field).has_value()) << "it is right before it is spoilt";
  given.spoil(field);
  if (!given.crc_is_the_point) renew_crc(field);
  BatchRules rules = rules_at_example_time();
  if (given.change_rules) given.change_rules(rules);
  EXPECT_EQ(validate(field, rules).error(), make_error_code(given.expected));
}

INSTANTIATE_TEST_SUITE_P(Table, BadField, testing::ValuesIn(field_params()), [](const auto& test) {
  return std::string(test.param.given->name) + "_" + std::string(codec_name(test.param.codec));
});

/// One record of three made wrong.
struct RecordCase {
  const char* name;
  BatchErrc expected;
  std::function<std::string(LooseRecord)> write;
  bool packed_only = false;
  bool compacted = false;
};

std::string framed_as(const LooseRecord& record, std::int64_t difference) {
  return varint_text(static_cast<std::int64_t>(record.content().size()) + difference) + record.content();
}

/// A varint whose value is right but that has `bytes` bytes.
std::string padded_varint(std::string text, std::size_t bytes) {
  while (text.size() < bytes) {
    text.back() = static_cast<char>(text.back() | 0x80);
    text.push_back('\0');
  }
  return text;
}

std::string replaced(LooseRecord record, std::string LooseRecord::* part, std::string with) {
  record.*part = std::move(with);
  return record.framed();
}

const RecordCase kRecordCases[] = {
    {"LengthOneTooLarge", BatchErrc::malformed_record, [](const LooseRecord& r) { return framed_as(r, 1); }},
    {"LengthOneTooSmall", BatchErrc::malformed_record, [](const LooseRecord& r) { return framed_as(r, -1); }},
    {"LengthNegative", BatchErrc::malformed_record, [](const LooseRecord& r) { return varint_text(-1) + r.content(); }},
    {"LengthZero", BatchErrc::malformed_record, [](const LooseRecord& r) { return varint_text(0) + r.content(); }},
    {"LengthMax", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return varint_text(kInt32Max) + r.content(); }},
    {"LengthPastTheBatch", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return varint_text(1000) + r.content(); }},
    {"LengthVarintOf6", BatchErrc::malformed_record,
     [](const LooseRecord& r) {
       return padded_varint(varint_text(static_cast<std::int64_t>(r.content().size())), 6) + r.content();
     }},
    {"ByteAfterTheHeaders", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::headers, r.headers + '\0'); }},
    {"TimestampDeltaOf11", BatchErrc::malformed_record,
     [](const LooseRecord& r) {
       return replaced(r, &LooseRecord::timestamp_delta, padded_varint(varint_text(0), 11));
     }},
    {"OffsetDeltaOf6", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::offset_delta, padded_varint(r.offset_delta, 6)); }},
    {"KeyLengthOf6", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::key, padded_varint(varint_text(1), 6) + "k"); }},
    {"ValueLengthOf6", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::value, padded_varint(varint_text(1), 6) + "v"); }},
    {"HeaderCountOf6", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::headers, padded_varint(varint_text(0), 6)); }},
    {"KeyLengthMinus2", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::key, varint_text(-2)); }},
    {"KeyLengthLowest", BatchErrc::malformed_record,
     [](const LooseRecord& r) {
       return replaced(r, &LooseRecord::key, varint_text(std::numeric_limits<std::int32_t>::min()));
     }},
    {"ValueLengthMinus2", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::value, varint_text(-2)); }},
    {"KeyPastTheRecord", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::key, varint_text(kInt32Max) + "k"); }},
    {"ValuePastTheRecord", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::value, varint_text(100) + "v"); }},
    {"HeaderCountNegative", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::headers, varint_text(-1)); }},
    {"HeaderCountMax", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::headers, varint_text(kInt32Max)); }},
    {"HeaderCountOneTooLarge", BatchErrc::malformed_record,
     [](const LooseRecord& r) {
       return replaced(r, &LooseRecord::headers, varint_text(2) + varint_text(1) + "h" + varint_text(-1));
     }},
    {"HeaderKeyNull", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::headers, varint_text(1) + varint_text(-1) + "\1"); }},
    {"HeaderKeyNullAndNothingElse", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::headers, varint_text(1) + varint_text(-1)); }},
    {"HeaderKeyPastTheEnd", BatchErrc::malformed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::headers, varint_text(1) + varint_text(9) + "h"); }},
    {"HeaderValueMinus2", BatchErrc::malformed_record,
     [](const LooseRecord& r) {
       return replaced(r, &LooseRecord::headers, varint_text(1) + varint_text(1) + "h" + varint_text(-2));
     }},
    {"HeaderValuePastTheEnd", BatchErrc::malformed_record,
     [](const LooseRecord& r) {
       return replaced(r, &LooseRecord::headers, varint_text(1) + varint_text(1) + "h" + varint_text(1));
     }},
    {"OffsetDeltaOneTooLarge", BatchErrc::offset_delta_out_of_order,
     [](const LooseRecord& r) {
       const auto delta = static_cast<std::int64_t>(r.offset_delta.front()) / 2;
       return replaced(r, &LooseRecord::offset_delta, varint_text(delta + 1));
     }},
    {"OffsetDeltaNegative", BatchErrc::offset_delta_out_of_order,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::offset_delta, varint_text(-1)); }},
    {"OffsetDeltaMax", BatchErrc::offset_delta_out_of_order,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::offset_delta, varint_text(kInt32Max)); }},
    {"CompressedInside", BatchErrc::compressed_record,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::attributes, "\1"); }, true},
    {"NullKeyOnCompactedTopic", BatchErrc::null_key,
     [](const LooseRecord& r) { return replaced(r, &LooseRecord::key, varint_text(-1)); }, false, true},
};

struct RecordParam {
  const RecordCase* given;
  Codec codec;
  std::int32_t bad_index;
};

std::vector<RecordParam> record_params() {
  std::vector<RecordParam> params;
  for (const RecordCase& given : kRecordCases) {
    for (const Codec codec : kAllCodecs) {
      if (given.packed_only && codec == Codec::kNone) continue;
      for (std::int32_t bad_index = 0; bad_index < kRecordCount; ++bad_index) {
        params.push_back({&given, codec, bad_index});
      }
    }
  }
  return params;
}

class BadRecord : public testing::TestWithParam<RecordParam> {};

TEST_P(BadRecord, RefusesTheWholeBatchForItsReason) {
  const auto& [given, codec, bad_index] = GetParam();
  std::string content;
  for (std::int32_t i = 0; i < kRecordCount; ++i) {
    const LooseRecord right{.offset_delta = varint_text(i)};
    content += i == bad_index ? given->write(right) : right.framed();
  }
  BatchRules rules = rules_at_example_time();
  rules.compacted = given->compacted;
  EXPECT_EQ(validate(batch_around(codec, content, kRecordCount), rules).error(), make_error_code(given->expected));
}

INSTANTIATE_TEST_SUITE_P(Table, BadRecord, testing::ValuesIn(record_params()), [](const auto& test) {
  return std::string(test.param.given->name) + "_" + std::string(codec_name(test.param.codec)) + "_" +
         std::to_string(test.param.bad_index);
});

class BadBody : public testing::TestWithParam<Codec> {};
INSTANTIATE_TEST_SUITE_P(Codecs, BadBody, testing::ValuesIn(kPackingCodecs),
                         [](const auto& test) { return std::string(codec_name(test.param)); });

TEST_P(BadBody, ThatIsNotWhatItsCodecSaysIsRefused) {
  const Bytes plain = plain_batch(Codec::kNone, kRecordCount);
  const Bytes lying = wrap_body(GetParam(), RecordBatch(plain).body(), kRecordCount);
  EXPECT_EQ(validate(lying).error(), make_error_code(BatchErrc::undecodable_body));
}

TEST_P(BadBody, OfAnotherCodecIsRefused) {
  for (const Codec other : kPackingCodecs) {
    if (other == GetParam()) continue;
    const Bytes right = plain_batch(other, kRecordCount);
    EXPECT_EQ(validate(wrap_body(GetParam(), RecordBatch(right).body(), kRecordCount)).error(),
              make_error_code(BatchErrc::undecodable_body))
        << codec_name(other);
  }
}

TEST_P(BadBody, ThatStopsAtAnyByteIsRefused) {
  const Bytes right = plain_batch(GetParam(), 50);
  const ByteView body = RecordBatch(right).body();
  for (std::size_t size = 0; size < body.size(); ++size) {
    const auto result = validate(wrap_body(GetParam(), body.first(size), 50));
    ASSERT_TRUE(result.has_error()) << size << " of " << body.size();
    // Xerial's framing may stop between two blocks; then records are missing.
    EXPECT_TRUE(result.error() == BatchErrc::undecodable_body || result.error() == BatchErrc::too_few_records)
        << size << ": " << result.error().message();
  }
}

TEST_P(BadBody, WithBytesAfterItIsRefused) {
  const Bytes right = plain_batch(GetParam(), kRecordCount);
  Bytes body(RecordBatch(right).body().begin(), RecordBatch(right).body().end());
  body.push_back(std::byte{0});
  EXPECT_EQ(validate(wrap_body(GetParam(), body, kRecordCount)).error(), make_error_code(BatchErrc::undecodable_body));
}

TEST_P(BadBody, AboveTheDecompressedLimitIsRefusedAndAtItTaken) {
  const Bytes batch = plain_batch(GetParam(), 100);
  BatchRules rules = rules_at_example_time();
  const auto valid = validate(batch, rules);
  ASSERT_TRUE(valid.has_value());
  rules.decompressed_bytes_max = valid->content_bytes;
  EXPECT_TRUE(validate(batch, rules).has_value());
  rules.decompressed_bytes_max = valid->content_bytes - 1;
  EXPECT_EQ(validate(batch, rules).error(), make_error_code(BatchErrc::decompressed_too_large));
}

class GoodBatch : public testing::TestWithParam<Codec> {};
INSTANTIATE_TEST_SUITE_P(Codecs, GoodBatch, testing::ValuesIn(kAllCodecs),
                         [](const auto& test) { return std::string(codec_name(test.param)); });

TEST_P(GoodBatch, IsDescribed) {
  const auto valid = validate(plain_batch(GetParam(), 100));
  ASSERT_TRUE(valid.has_value());
  EXPECT_EQ(valid->record_count, 100);
  EXPECT_EQ(valid->content_bytes, RecordBatch(plain_batch(Codec::kNone, 100)).body().size());
  EXPECT_EQ(valid->max_timestamp, kExampleTimestamp);
  EXPECT_EQ(valid->max_timestamp_offset_delta, 0);
  EXPECT_FALSE(valid->timestamps_to_rewrite);
}

TEST_P(GoodBatch, MayHaveExactlyMaxMessageBytes) {
  const Bytes batch = plain_batch(GetParam(), kRecordCount);
  BatchRules rules = rules_at_example_time();
  rules.batch_bytes_max = rules.segment_bytes_max = batch.size();
  EXPECT_TRUE(validate(batch, rules).has_value());
  rules.batch_bytes_max = batch.size() - 1;
  EXPECT_EQ(validate(batch, rules).error(), make_error_code(BatchErrc::batch_too_large));
}

TEST_P(GoodBatch, MayHoldRecordsLargerThanAnyPiece) {
  // Each spans several decompressed pieces, so that every field meets a border in one of them or another.
  std::vector<OwnedRecord> records = random_records(1, 40, 30'000);
  records[0].value = std::string(1'000'000, 'x');
  records[20].key = std::string(300'000, 'y');
  records[39].headers = {{std::string(200'000, 'z'), std::string(150'000, 'w')}};
  BatchRules rules = rules_at_example_time();
  rules.batch_bytes_max = 16 * 1024 * 1024;
  const auto valid = validate(build_owned({.codec = GetParam()}, records), rules);
  ASSERT_TRUE(valid.has_value()) << valid.error().message();
  EXPECT_EQ(valid->record_count, 40);
}

TEST_P(GoodBatch, OfAnySeedIsTakenAndReadsAsWritten) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto records = random_records(seed, 1 + seed * 7 % 60, 200);
    const Bytes batch = build_owned({.codec = GetParam()}, records);
    const auto valid = validate(batch);
    ASSERT_TRUE(valid.has_value()) << valid.error().message();
    EXPECT_EQ(read_owned(batch), records);
  }
}

TEST(BatchValidation, TakesIdempotentAndTransactionalBatches) {
  const auto records = random_records(3, 5, 20);
  const Bytes batch =
      build_owned({.producer_id = 9, .producer_epoch = 1, .base_sequence = 0, .transactional = true}, records);
  EXPECT_TRUE(validate(batch).has_value());
}

TEST(BatchValidation, TakesRecordAttributesOfAPlainBatchAsUnused) {
  const std::string content = LooseRecord{.attributes = "\7"}.framed();
  EXPECT_TRUE(validate(batch_around(Codec::kNone, content, 1)).has_value());
}

TEST(BatchValidation, ListsEveryRecordWithoutKeyOnACompactedTopic) {
  std::string content;
  for (std::int32_t i = 0; i < 5; ++i) {
    LooseRecord record{.offset_delta = varint_text(i)};
    if (i % 2 == 0) record.key = varint_text(-1);
    content += record.framed();
  }
  BatchRules rules = rules_at_example_time();
  rules.compacted = true;
  Decompressor decompressor;
  RecordErrors errors;
  EXPECT_EQ(validate_batch(batch_around(Codec::kLz4, content, 5), rules, decompressor, errors).error(),
            make_error_code(BatchErrc::null_key));
  ASSERT_EQ(errors.listed().size(), 3U);
  EXPECT_EQ(errors.listed()[1].index, 2);
  EXPECT_EQ(errors.listed()[2].index, 4);
  EXPECT_NE(to_message(errors.listed()[0]), "");
}

TEST(BatchValidation, DecidesByTheFirstCheckThatFails) {
  // Spoilt from the last check to the first: each new fault hides the ones before.
  Bytes batch = batch_around(Codec::kZstd, LooseRecord{.offset_delta = varint_text(1)}.framed(), 1);
  BatchRules rules = rules_at_example_time();
  const auto reason = [&] { return validate(batch, rules).error(); };
  EXPECT_EQ(reason(), BatchErrc::offset_delta_out_of_order);
  set_attributes(batch, kControlBit);
  renew_crc(batch);
  EXPECT_EQ(reason(), BatchErrc::control_batch_from_client);
  batch.push_back(std::byte{0});
  EXPECT_EQ(reason(), BatchErrc::bytes_after_batch);
  batch[batch_layout::kCrc] ^= std::byte{1};
  EXPECT_EQ(reason(), BatchErrc::crc_mismatch);
  rules.batch_bytes_max = 1;
  EXPECT_EQ(reason(), BatchErrc::batch_too_large);
  put(batch, batch_layout::kBaseOffset, std::int64_t{1});
  EXPECT_EQ(reason(), BatchErrc::base_offset_not_zero);
  batch.pop_back();
  const Bytes copy = batch;
  batch.insert(batch.end(), copy.begin(), copy.end());
  EXPECT_EQ(reason(), BatchErrc::several_batches);
  rules.zstd_allowed = false;
  EXPECT_EQ(reason(), BatchErrc::zstd_too_early);
  put(batch, batch_layout::kMagic, std::int8_t{3});
  EXPECT_EQ(reason(), BatchErrc::unknown_magic);
  put(batch, batch_layout::kBatchLength, -1);
  EXPECT_EQ(reason(), BatchErrc::bad_batch_length);
}

TEST(BatchValidation, ForgetsTheRecordErrorsOfTheBatchBefore) {
  Decompressor decompressor;
  RecordErrors errors;
  errors.add({0, BatchErrc::null_key, 0});
  EXPECT_TRUE(validate_batch(plain_batch(Codec::kNone, 1), rules_at_example_time(), decompressor, errors).has_value());
  EXPECT_TRUE(errors.empty());
}

}  // namespace
}  // namespace braid::protocol
