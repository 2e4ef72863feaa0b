// The requests about single partitions: ends and times (ListOffsets), ends of epochs, deletion of records, producers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "broker/api/test_requests.h"
#include "protocol/messages/02_list_offsets.h"
#include "protocol/messages/21_delete_records.h"
#include "protocol/messages/23_offset_for_leader_epoch.h"
#include "protocol/messages/61_describe_producers.h"
#include "protocol/records/test_batches.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;

struct Found {
  ErrorCode error = ErrorCode::kNone;
  std::int64_t offset = -1;
  std::int64_t timestamp = -1;
  bool operator==(const Found&) const = default;
};

Found list_offsets(TestNode& node, std::int64_t timestamp, std::int16_t version = 11, std::int32_t epoch = -1) {
  protocol::ListOffsetsRequest::ListOffsetsPartition partition;
  partition.timestamp = timestamp;
  if (version >= 4) partition.current_leader_epoch = epoch;
  protocol::ListOffsetsRequest::ListOffsetsTopic topic;
  topic.name = "t";
  topic.partitions = {&partition, 1};
  protocol::ListOffsetsRequest request;
  request.topics = {&topic, 1};
  const auto told = node.ask<protocol::ListOffsetsResponse>(request, version).topics[0].partitions[0];
  return {told.error_code, told.offset, told.timestamp};
}

void store_at(TestNode& node, const std::vector<std::int64_t>& timestamps,
              protocol::Codec codec = protocol::Codec::kNone) {
  std::vector<protocol::OwnedRecord> records;
  records.reserve(timestamps.size());
  for (const std::int64_t timestamp : timestamps)
    records.push_back({.timestamp = timestamp, .key = {}, .value = "v", .headers = {}});
  ASSERT_EQ(produce(node, protocol::build_owned({.codec = codec}, records)).error, ErrorCode::kNone);
}

struct Deleted {
  ErrorCode error = ErrorCode::kNone;
  std::int64_t low_watermark = -1;
  bool operator==(const Deleted&) const = default;
};

Deleted delete_records(TestNode& node, std::int64_t offset, const std::string& name = "t", std::int16_t version = 2) {
  protocol::DeleteRecordsRequest::DeleteRecordsPartition partition;
  partition.offset = offset;
  protocol::DeleteRecordsRequest::DeleteRecordsTopic topic;
  topic.name = name;
  topic.partitions = {&partition, 1};
  protocol::DeleteRecordsRequest request;
  request.topics = {&topic, 1};
  const auto told = node.ask<protocol::DeleteRecordsResponse>(request, version).topics[0].partitions[0];
  return {told.error_code, told.low_watermark};
}

TEST(ListOffsets, FindsTheFirstRecordWithTheGreatestTimestamp) {
  TestNode node;
  create_topic(node, "t");
  EXPECT_EQ(list_offsets(node, -3), Found{}) << "empty";
  store_at(node, {100, 500, 300}, protocol::Codec::kZstd);
  EXPECT_EQ(list_offsets(node, -3), (Found{ErrorCode::kNone, 1, 500}));
  store_at(node, {200, 500});
  EXPECT_EQ(list_offsets(node, -3), (Found{ErrorCode::kNone, 1, 500})) << "the first of two";
  store_at(node, {400, 501, 501});
  EXPECT_EQ(list_offsets(node, -3), (Found{ErrorCode::kNone, 6, 501}));
  store_at(node, {7});
  EXPECT_EQ(list_offsets(node, -3), (Found{ErrorCode::kNone, 6, 501})) << "not the last record";
  EXPECT_EQ(list_offsets(node, -3, 6).error, ErrorCode::kUnsupportedVersion);
}

TEST(ListOffsets, LooksForTheGreatestTimestampAmongWhatIsLeft) {
  TestNode node;
  create_topic(node, "t");
  store_at(node, {900, 100, 250, 200});
  store_at(node, {150});
  ASSERT_EQ(delete_records(node, 1), (Deleted{ErrorCode::kNone, 1}));
  EXPECT_EQ(list_offsets(node, -3), (Found{ErrorCode::kNone, 2, 250})) << "its batch still says 900";
  ASSERT_EQ(delete_records(node, 4), (Deleted{ErrorCode::kNone, 4}));
  EXPECT_EQ(list_offsets(node, -3), (Found{ErrorCode::kNone, 4, 150}));
  ASSERT_EQ(delete_records(node, -1), (Deleted{ErrorCode::kNone, 5}));
  EXPECT_EQ(list_offsets(node, -3), Found{});
}

TEST(ListOffsets, FindsTheFirstRecordAtATimeOrLater) {
  for (const protocol::Codec codec : protocol::kAllCodecs) {
    TestNode node;
    create_topic(node, "t");
    store_at(node, {300, 100, 200}, codec);
    EXPECT_EQ(list_offsets(node, 150), (Found{ErrorCode::kNone, 0, 300}));
    ASSERT_EQ(delete_records(node, 1).error, ErrorCode::kNone);
    EXPECT_EQ(list_offsets(node, 150), (Found{ErrorCode::kNone, 2, 200})) << "never below the log start";
    EXPECT_EQ(list_offsets(node, 201), Found{}) << "none";
    EXPECT_EQ(list_offsets(node, -1), (Found{ErrorCode::kNone, 3, -1}));
    EXPECT_EQ(list_offsets(node, -2), (Found{ErrorCode::kNone, 1, -1}));
  }
}

TEST(ListOffsets, ChecksTheLeaderEpoch) {
  TestNode node;
  create_topic(node, "t");
  EXPECT_EQ(list_offsets(node, -1, 11, 0).error, ErrorCode::kNone);
  EXPECT_EQ(list_offsets(node, -1, 11, 1).error, ErrorCode::kUnknownLeaderEpoch);
}

TEST(DeleteRecords, MovesTheLogStartAndNeverBack) {
  for (std::int16_t version = 0; version <= 2; ++version) {
    TestNode node;
    create_topic(node, "t");
    store_at(node, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(delete_records(node, 5, "t", version), (Deleted{ErrorCode::kNone, 5}));
    EXPECT_EQ(delete_records(node, 0, "t", version), (Deleted{ErrorCode::kNone, 5})) << "nothing changes";
    EXPECT_EQ(list_offsets(node, -2).offset, 5);
    EXPECT_EQ(delete_records(node, -1, "t", version), (Deleted{ErrorCode::kNone, 6}));
    EXPECT_EQ(delete_records(node, 7, "t", version), (Deleted{ErrorCode::kOffsetOutOfRange, -1}));
    EXPECT_EQ(delete_records(node, -2, "t", version), (Deleted{ErrorCode::kOffsetOutOfRange, -1}));
  }
}

TEST(DeleteRecords, RefusesTopicsThatAreOnlyCompactedAndUnknownOnes) {
  TestNode node;
  create_topic(node, "compacted", 1, {{"cleanup.policy", "compact"}});
  create_topic(node, "both", 1, {{"cleanup.policy", "compact,delete"}});
  EXPECT_EQ(delete_records(node, 0, "compacted"), (Deleted{ErrorCode::kPolicyViolation, -1}));
  EXPECT_EQ(delete_records(node, 0, "both"), (Deleted{ErrorCode::kNone, 0}));
  EXPECT_EQ(delete_records(node, 0, "none"), (Deleted{ErrorCode::kUnknownTopicOrPartition, -1}));
}

TEST(DeleteRecords, IsKnownAfterARestart) {
  storage::MemoryStore store;
  {
    TestNode node({}, &store);
    create_topic(node, "t");
    store_at(node, {1, 2, 3});
    ASSERT_EQ(delete_records(node, 2), (Deleted{ErrorCode::kNone, 2}));
  }
  TestNode node({}, &store);
  EXPECT_EQ(list_offsets(node, -2).offset, 2);
}

TEST(OffsetForLeaderEpoch, TellsWhereAnEpochEnds) {
  TestNode node;
  create_topic(node, "t");
  store_at(node, {1, 2, 3});
  const auto ask = [&](std::int32_t epoch, std::int32_t current = -1, std::int32_t index = 0) {
    protocol::OffsetForLeaderEpochRequest::OffsetForLeaderPartition partition;
    partition.partition = index;
    partition.leader_epoch = epoch;
    partition.current_leader_epoch = current;
    protocol::OffsetForLeaderEpochRequest::OffsetForLeaderTopic topic;
    topic.topic = "t";
    topic.partitions = {&partition, 1};
    protocol::OffsetForLeaderEpochRequest request;
    request.topics = {&topic, 1};
    const auto told = node.ask<protocol::OffsetForLeaderEpochResponse>(request, 4).topics[0].partitions[0];
    return std::tuple(told.error_code, told.leader_epoch, told.end_offset);
  };
  EXPECT_EQ(ask(0), std::tuple(ErrorCode::kNone, 0, 3));
  EXPECT_EQ(ask(0, 0), std::tuple(ErrorCode::kNone, 0, 3));
  EXPECT_EQ(ask(1), std::tuple(ErrorCode::kNone, -1, -1));
  EXPECT_EQ(ask(-1), std::tuple(ErrorCode::kNone, -1, -1));
  EXPECT_EQ(ask(0, 1), std::tuple(ErrorCode::kUnknownLeaderEpoch, -1, -1));
  EXPECT_EQ(ask(0, -1, 7), std::tuple(ErrorCode::kUnknownTopicOrPartition, -1, -1));
}

TEST(DescribeProducers, ListsWhoWroteByRisingId) {
  TestNode node;
  create_topic(node, "t");
  const auto write = [&](std::int64_t id, std::int16_t epoch) {
    const auto batch = batch_of_values({"a", "b"}, {.producer_id = id, .producer_epoch = epoch, .base_sequence = 0});
    ASSERT_EQ(produce(node, batch).error, ErrorCode::kNone);
  };
  write(8, 3);
  write(5, 0);
  const std::vector<std::int32_t> indexes = {0, 1};
  protocol::DescribeProducersRequest::TopicRequest topic;
  topic.name = "t";
  topic.partition_indexes = indexes;
  protocol::DescribeProducersRequest request;
  request.topics = {&topic, 1};
  const auto response = node.ask<protocol::DescribeProducersResponse>(request, 0);
  const auto partitions = response.topics[0].partitions;
  ASSERT_EQ(partitions.size(), 2U);
  ASSERT_EQ(partitions[0].active_producers.size(), 2U);
  const auto& first = partitions[0].active_producers[0];
  EXPECT_EQ(first.producer_id, protocol::ProducerId{5});
  EXPECT_EQ(first.last_sequence, 1);
  EXPECT_EQ(first.last_timestamp, protocol::kExampleTimestamp);
  EXPECT_EQ(first.coordinator_epoch, -1);
  EXPECT_EQ(first.current_txn_start_offset, -1);
  EXPECT_EQ(partitions[0].active_producers[1].producer_epoch, 3);
  EXPECT_EQ(partitions[1].error_code, ErrorCode::kUnknownTopicOrPartition);
}

}  // namespace
}  // namespace braid::broker
