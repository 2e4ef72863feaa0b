// Produce as a client sees it: each kind of bad batch with its code, nothing stored of it and the next good batch
// stored; acks; names and ids; retries. That every byte is looked at is batch_validation_test's.
#include "broker/api/00_produce.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "broker/api/test_requests.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/test_batches.h"
#include "protocol/wire/writer.h"

namespace braid::broker {
namespace {

using protocol::Bytes;
using protocol::Codec;
using protocol::ErrorCode;
using protocol::RecordBatch;
namespace layout = protocol::batch_layout;

constexpr std::int32_t kInt32Max = 2147483647;
constexpr std::int16_t kVersions[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};

void put16(Bytes& batch, std::size_t at, std::int16_t value) {
  protocol::Writer(protocol::MutableBytes(batch).subspan(at)).i16(value);
}
void put32(Bytes& batch, std::size_t at, std::int32_t value) {
  protocol::Writer(protocol::MutableBytes(batch).subspan(at)).i32(value);
}
void put64(Bytes& batch, std::size_t at, std::int64_t value) {
  protocol::Writer(protocol::MutableBytes(batch).subspan(at)).i64(value);
}
void set_attributes(Bytes& batch, int bits) {
  put16(batch, layout::kAttributes, static_cast<std::int16_t>(RecordBatch(batch).attributes() | bits));
}
void add_to_length(Bytes& batch, std::int32_t difference) {
  put32(batch, layout::kBatchLength, RecordBatch(batch).batch_length() + difference);
}

std::int64_t end_of(TestNode& node, const protocol::Uuid& topic) {
  return node.node().shard.view(*node.node().shard.find(topic, 0)).end.value;
}

struct BadCase {
  const char* name;
  ErrorCode expected;
  std::function<void(Bytes&)> spoil;  // a right batch of three records
  bool renew_crc = true;
};

const BadCase kBadBatches[] = {
    {"CrcWrong", ErrorCode::kCorruptMessage, [](Bytes& b) { b[layout::kCrc] ^= std::byte{1}; }, false},
    {"LengthOneTooSmall", ErrorCode::kCorruptMessage, [](Bytes& b) { add_to_length(b, -1); }, false},
    {"LengthOneTooLarge", ErrorCode::kInvalidRecord, [](Bytes& b) { add_to_length(b, 1); }, false},
    {"LengthNegative", ErrorCode::kCorruptMessage, [](Bytes& b) { put32(b, layout::kBatchLength, -1); }, false},
    {"LengthZero", ErrorCode::kCorruptMessage, [](Bytes& b) { put32(b, layout::kBatchLength, 0); }, false},
    {"LengthBelowHeader", ErrorCode::kCorruptMessage, [](Bytes& b) { put32(b, layout::kBatchLength, 48); }, false},
    {"LengthMax", ErrorCode::kInvalidRecord, [](Bytes& b) { put32(b, layout::kBatchLength, kInt32Max); }, false},
    {"BaseOffset", ErrorCode::kInvalidRecord, [](Bytes& b) { put64(b, layout::kBaseOffset, 1); }},
    {"CountZero", ErrorCode::kInvalidRecord, [](Bytes& b) { put32(b, layout::kRecordCount, 0); }},
    {"CountNegative", ErrorCode::kInvalidRecord, [](Bytes& b) { put32(b, layout::kRecordCount, -1); }},
    {"CountMax", ErrorCode::kInvalidRecord, [](Bytes& b) { put32(b, layout::kRecordCount, kInt32Max); }},
    {"CountIsNotTheDelta", ErrorCode::kInvalidRecord, [](Bytes& b) { put32(b, layout::kLastOffsetDelta, 3); }},
    {"TwoBatches", ErrorCode::kInvalidRecord,
     [](Bytes& b) {
       const Bytes again = b;
       b.insert(b.end(), again.begin(), again.end());
     },
     false},
    {"Empty", ErrorCode::kInvalidRecord, [](Bytes& b) { b.clear(); }, false},
    {"ControlBit", ErrorCode::kInvalidRecord, [](Bytes& b) { set_attributes(b, protocol::kControlBit); }},
    {"NoSequence", ErrorCode::kInvalidRecord, [](Bytes& b) { put64(b, layout::kProducerId, 5); }},
    {"TransactionalInARequestThatIsNot", ErrorCode::kTransactionalIdAuthorizationFailed,
     [](Bytes& b) { set_attributes(b, protocol::kTransactionalBit); }},
    {"Magic0", ErrorCode::kInvalidRecord, [](Bytes& b) { b[layout::kMagic] = std::byte{0}; }, false},
    {"Magic1", ErrorCode::kInvalidRecord, [](Bytes& b) { b[layout::kMagic] = std::byte{1}; }, false},
    {"Magic3", ErrorCode::kCorruptMessage, [](Bytes& b) { b[layout::kMagic] = std::byte{3}; }, false},
    {"MagicNegative", ErrorCode::kCorruptMessage, [](Bytes& b) { b[layout::kMagic] = std::byte{0xFF}; }, false},
    {"Codec5", ErrorCode::kUnsupportedCompressionType, [](Bytes& b) { put16(b, layout::kAttributes, 5); }},
    {"Codec7", ErrorCode::kUnsupportedCompressionType, [](Bytes& b) { put16(b, layout::kAttributes, 7); }},
    {"AnotherCodecThanItSays", ErrorCode::kInvalidRecord,
     [](Bytes& b) { put16(b, layout::kAttributes, RecordBatch(b).attributes() == 1 ? 3 : 1); }},
};

class ProduceBadBatch : public testing::TestWithParam<BadCase> {};

TEST_P(ProduceBadBatch, IsRefusedInEveryCodecAndVersionAndNothingIsStored) {
  TestNode node;
  const protocol::Uuid topic = create_topic(node, "t");
  std::int64_t end = 0;
  for (const Codec codec : protocol::kAllCodecs) {
    Bytes bad = protocol::plain_batch(codec, 3);
    GetParam().spoil(bad);
    if (GetParam().renew_crc) protocol::renew_crc(bad);
    for (const std::int16_t version : kVersions) {
      const bool too_early = codec == Codec::kZstd && version < 7;
      if (too_early) continue;
      const ProduceTo to{.version = version, .id = topic};
      const Produced refused = produce(node, bad, to);
      ASSERT_EQ(refused.error, GetParam().expected) << static_cast<int>(codec) << " v" << version;
      EXPECT_EQ(refused.base_offset, -1);
      ASSERT_EQ(end_of(node, topic), end);
    }
    ASSERT_EQ(produce(node, protocol::plain_batch(codec, 3)).base_offset, end);
    end += 3;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ProduceBadBatch, testing::ValuesIn(kBadBatches),
                         [](const auto& each) { return std::string(each.param.name); });

std::string rejoined(const std::vector<protocol::LooseRecord>& records) {
  std::string content;
  for (const auto& record : records) content += record.framed();
  return content;
}

struct BadRecordCase {
  const char* name;
  std::function<void(protocol::LooseRecord&)> spoil;
};

const BadRecordCase kBadRecords[] = {
    {"AttributesMissing", [](protocol::LooseRecord& r) { r.attributes.clear(); }},
    {"VarintOfSix", [](protocol::LooseRecord& r) { r.key = "\x82\x80\x80\x80\x80" + std::string(1, '\0') + "k"; }},
    {"HeaderCountNegative", [](protocol::LooseRecord& r) { r.headers = protocol::varint_text(-1); }},
    {"HeaderCountTooLarge", [](protocol::LooseRecord& r) { r.headers = protocol::varint_text(1000); }},
    {"HeaderKeyNull",
     [](protocol::LooseRecord& r) { r.headers = protocol::varint_text(1) + protocol::varint_text(-1); }},
    {"OffsetDelta", [](protocol::LooseRecord& r) { r.offset_delta = protocol::varint_text(7); }},
    {"KeyLengthMinusTwo", [](protocol::LooseRecord& r) { r.key = protocol::varint_text(-2); }},
    {"ValueLengthMinusTwo", [](protocol::LooseRecord& r) { r.value = protocol::varint_text(-2); }},
    {"ValuePastTheEnd", [](protocol::LooseRecord& r) { r.value = protocol::varint_text(99) + "v"; }},
};

class ProduceBadRecord : public testing::TestWithParam<BadRecordCase> {};

TEST_P(ProduceBadRecord, FirstMiddleOrLastIsRefusedWithItsBatch) {
  TestNode node;
  const protocol::Uuid topic = create_topic(node, "t");
  for (const Codec codec : protocol::kAllCodecs) {
    for (std::size_t bad = 0; bad < 3; ++bad) {
      std::vector<protocol::LooseRecord> records(3);
      for (std::size_t i = 0; i < 3; ++i) records[i].offset_delta = protocol::varint_text(static_cast<int>(i));
      GetParam().spoil(records[bad]);
      const Bytes batch = protocol::batch_around(codec, rejoined(records), 3);
      ASSERT_EQ(produce(node, batch).error, ErrorCode::kInvalidRecord) << static_cast<int>(codec) << " " << bad;
      ASSERT_EQ(end_of(node, topic), 0);
    }
  }
  EXPECT_EQ(produce(node, protocol::plain_batch(Codec::kNone, 3)).base_offset, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ProduceBadRecord, testing::ValuesIn(kBadRecords),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Produce, RefusesNullRecords) {
  TestNode node;
  create_topic(node, "t");
  EXPECT_EQ(produce(node, std::nullopt).error, ErrorCode::kInvalidRecord);
}

TEST(Produce, RefusesZstdBeforeVersionSeven) {
  TestNode node;
  create_topic(node, "t");
  const Bytes batch = protocol::plain_batch(Codec::kZstd, 3);
  for (std::int16_t version = 3; version < 7; ++version)
    EXPECT_EQ(produce(node, batch, {.version = version}).error, ErrorCode::kUnsupportedCompressionType);
  EXPECT_EQ(produce(node, batch, {.version = 7}).base_offset, 0);
}

TEST(Produce, NamesTheRecordWithoutAKeyOnACompactedTopic) {
  TestNode node;
  create_topic(node, "t", 1, {{"cleanup.policy", "compact"}});
  const Bytes batch = batch_of_values({"a", "b"});
  EXPECT_EQ(produce(node, batch, {.version = 7}).error, ErrorCode::kInvalidRecord);
  const Produced refused = produce(node, batch, {.version = 8});
  EXPECT_EQ(refused.error, ErrorCode::kInvalidRecord);
  ASSERT_FALSE(refused.record_errors.empty());
  EXPECT_EQ(refused.record_errors[0].first, 0);
  EXPECT_FALSE(refused.record_errors[0].second.empty());
  EXPECT_FALSE(refused.message.empty());
}

TEST(Produce, RefusesTimestampsOutOfRange) {
  TestNode node;
  create_topic(node, "t", 1, {{"message.timestamp.before.max.ms", "1000"}});
  EXPECT_EQ(produce(node, batch_of_values({"old"})).error, ErrorCode::kInvalidTimestamp);
  create_topic(node, "append", 1, {{"message.timestamp.type", "LogAppendTime"}});
  Bytes batch = batch_of_values({"v"});
  set_attributes(batch, protocol::kLogAppendTimeBit);
  protocol::renew_crc(batch);
  EXPECT_EQ(produce(node, batch, {.topic = "append"}).error, ErrorCode::kInvalidTimestamp);
  EXPECT_GT(produce(node, batch_of_values({"v"}), {.topic = "append"}).log_append_time_ms, 0);
}

TEST(Produce, RefusesABatchAboveMaxMessageBytes) {
  TestNode node;
  const Bytes batch = batch_of_values({std::string(200, 'x')});
  create_topic(node, "t", 1, {{"max.message.bytes", std::to_string(batch.size())}});
  EXPECT_EQ(produce(node, batch_of_values({std::string(201, 'x')})).error, ErrorCode::kMessageTooLarge);
  EXPECT_EQ(produce(node, batch).base_offset, 0);
}

TEST(Produce, AnswersEachKindOfAcks) {
  TestNode node;
  create_topic(node, "t");
  const Bytes batch = batch_of_values({"v"});
  EXPECT_EQ(produce(node, batch, {.acks = 1}).base_offset, 0);
  EXPECT_EQ(produce(node, batch, {.acks = -1}).base_offset, 1);
  EXPECT_EQ(produce(node, batch, {.acks = 2}).error, ErrorCode::kInvalidRequiredAcks);
  EXPECT_TRUE(std::holds_alternative<NoReply>(node.exchange(produce_frame(batch, {.acks = 0}))));
  EXPECT_EQ(produce(node, batch).base_offset, 3) << "acks=0 was stored, acks=2 not";
}

TEST(Produce, ClosesTheConnectionOnAnyErrorWithoutAcks) {
  TestNode node;
  create_topic(node, "t");
  Bytes bad = batch_of_values({"v"});
  bad[layout::kCrc] ^= std::byte{1};
  EXPECT_TRUE(std::holds_alternative<Refusal>(node.exchange(produce_frame(bad, {.acks = 0}))));
  const Bytes good = batch_of_values({"v"});
  EXPECT_TRUE(std::holds_alternative<Refusal>(node.exchange(produce_frame(good, {.topic = "none", .acks = 0}))));
}

TEST(Produce, DoesNotKnowOtherTopicsAndPartitions) {
  TestNode node;
  const protocol::Uuid topic = create_topic(node, "t");
  const Bytes batch = batch_of_values({"v"});
  EXPECT_EQ(produce(node, batch, {.topic = "none"}).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(produce(node, batch, {.partition = 1}).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(produce(node, batch, {.partition = -1}).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(produce(node, batch, {.version = 13, .id = protocol::uuid_from_halves(7, 7)}).error,
            ErrorCode::kUnknownTopicId);
  EXPECT_EQ(produce(node, batch, {.version = 13, .id = topic}).base_offset, 0);
}

TEST(Produce, AnswersARetryWithTheFirstOffsetAndStoresItOnce) {
  TestNode node;
  const protocol::Uuid topic = create_topic(node, "t");
  const auto batch_at = [](std::int32_t sequence, std::int16_t epoch) {
    return batch_of_values({"a", "b"}, {.producer_id = 9, .producer_epoch = epoch, .base_sequence = sequence});
  };
  EXPECT_EQ(produce(node, batch_at(0, 1)).base_offset, 0);
  EXPECT_EQ(produce(node, batch_at(0, 1)).base_offset, 0);
  EXPECT_EQ(end_of(node, topic), 2);
  EXPECT_EQ(produce(node, batch_at(3, 1)).error, ErrorCode::kOutOfOrderSequenceNumber);
  EXPECT_EQ(produce(node, batch_at(2, 0)).error, ErrorCode::kInvalidProducerEpoch);
  EXPECT_EQ(produce(node, batch_at(2, 1)).base_offset, 2);
}

}  // namespace
}  // namespace braid::broker
