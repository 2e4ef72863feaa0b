// Exact bytes of small messages, as Kafka's own classes write them: decoded, compared field by field, encoded again.
#include <gtest/gtest.h>

#include "protocol/base/hex.h"
#include "protocol/messages/00_produce.h"
#include "protocol/messages/03_metadata.h"
#include "protocol/messages/18_api_versions.h"
#include "protocol/messages/75_describe_topic_partitions.h"
#include "protocol/messages/cg_01_offset_commit.h"
#include "protocol/messages/data_consumer_protocol_subscription.h"
#include "protocol/messages/data_end_txn_marker.h"
#include "protocol/messages/decoded.h"
#include "protocol/messages/encoded.h"
#include "protocol/messages/header_request.h"
#include "protocol/messages/header_response.h"

namespace braid::protocol {
namespace {

class GoldenBytes : public testing::Test {
 protected:
  /// What the digits say; the bytes must be used up and encode to the same.
  template <class Message>
  Message decoded_from(std::string_view hex, std::int16_t version) {
    bytes_.push_back(from_hex(hex).value());
    Reader in(bytes_.back());
    Message message;
    const Result<void> read = decode(in, version, arena_, message);
    EXPECT_TRUE(read.has_value()) << hex;
    EXPECT_EQ(in.remaining(), 0U) << hex;
    EXPECT_EQ(to_hex(encode_to_bytes(message, version)), to_hex(bytes_.back()));
    return message;
  }

 private:
  Arena arena_;
  std::vector<Bytes> bytes_;
};

TEST_F(GoldenBytes, RequestHeader) {
  for (const auto& [version, hex] : {std::pair<std::int16_t, const char*>{1, "0012 0003 00000007 0005 6272616964"},
                                     {2, "0012 0003 00000007 0005 6272616964 00"}}) {
    const auto header = decoded_from<RequestHeader>(hex, version);
    EXPECT_EQ(header.request_api_key, 18);
    EXPECT_EQ(header.request_api_version, 3);
    EXPECT_EQ(header.correlation_id, 7);
    EXPECT_EQ(header.client_id, "braid");
  }
  EXPECT_EQ(decoded_from<RequestHeader>("0003 0009 00000007 ffff 00", 2).client_id, std::nullopt);
}

TEST_F(GoldenBytes, ResponseHeader) {
  EXPECT_EQ(decoded_from<ResponseHeader>("00000007", 0).correlation_id, 7);
  EXPECT_EQ(decoded_from<ResponseHeader>("00000007 00", 1).correlation_id, 7);
}

TEST_F(GoldenBytes, ApiVersions) {
  const auto request = decoded_from<ApiVersionsRequest>("02 63 02 31 00", 3);
  EXPECT_EQ(request.client_software_name, "c");
  EXPECT_EQ(request.client_software_version, "1");
  for (const auto& [version, hex] : {std::pair<std::int16_t, const char*>{0, "0023 00000001 0012 0000 0005"},
                                     {3, "0023 02 0012 0000 0005 00 00000000 00"}}) {
    const auto response = decoded_from<ApiVersionsResponse>(hex, version);
    EXPECT_EQ(response.error_code, ErrorCode::kUnsupportedVersion);
    ASSERT_EQ(response.api_keys.size(), 1U);
    EXPECT_EQ(response.api_keys[0].api_key, 18);
    EXPECT_EQ(response.api_keys[0].min_version, 0);
    EXPECT_EQ(response.api_keys[0].max_version, 5);
    EXPECT_EQ(response.finalized_features_epoch, -1);
  }
}

TEST_F(GoldenBytes, MetadataTellsNoTopicsFromAll) {
  EXPECT_EQ(decoded_from<MetadataRequest>("ffffffff", 1).topics, std::nullopt);
  const auto none = decoded_from<MetadataRequest>("00000000", 1);
  ASSERT_TRUE(none.topics.has_value());
  EXPECT_TRUE(none.topics->empty());
  const auto request = decoded_from<MetadataRequest>("00 01 00 00", 12);
  EXPECT_FALSE(request.topics.has_value());
  EXPECT_TRUE(request.allow_auto_topic_creation);
  EXPECT_FALSE(request.include_topic_authorized_operations);
}

TEST_F(GoldenBytes, DescribeTopicPartitionsWithAndWithoutCursor) {
  const auto first = decoded_from<DescribeTopicPartitionsRequest>("01 000007d0 ff 00", 0);
  EXPECT_EQ(first.response_partition_limit, 2000);
  EXPECT_FALSE(first.cursor.has_value());
  const auto next = decoded_from<DescribeTopicPartitionsRequest>("01 000007d0 01 02 74 00000001 00 00", 0);
  ASSERT_TRUE(next.cursor.has_value());
  EXPECT_EQ(next.cursor->topic_name, "t");
  EXPECT_EQ(next.cursor->partition_index, 1);
}

TEST_F(GoldenBytes, ProduceResponseWithALeaderInATag) {
  const auto response = decoded_from<ProduceResponse>(
      "02 02 74 02 00000000 0006 ffffffffffffffff ffffffffffffffff ffffffffffffffff 01 00 01 00 09 00000002 00000005 "
      "00 00 "
      "00000000 00",
      10);
  ASSERT_EQ(response.responses.size(), 1U);
  EXPECT_EQ(response.responses[0].name, "t");
  ASSERT_EQ(response.responses[0].partition_responses.size(), 1U);
  const auto& partition = response.responses[0].partition_responses[0];
  EXPECT_EQ(partition.error_code, ErrorCode::kNotLeaderOrFollower);
  EXPECT_EQ(partition.base_offset, -1);
  EXPECT_EQ(partition.current_leader.leader_id, BrokerId{2});
  EXPECT_EQ(partition.current_leader.leader_epoch, 5);
}

TEST_F(GoldenBytes, ConsumerSubscription) {
  const auto old = decoded_from<ConsumerProtocolSubscriptionData>("00000001 0001 74 ffffffff", 0);
  ASSERT_EQ(old.topics.size(), 1U);
  EXPECT_EQ(old.topics[0], "t");
  EXPECT_EQ(old.generation_id, -1) << "the default of a field that the version does not have";
  const auto newer =
      decoded_from<ConsumerProtocolSubscriptionData>("00000001 0001 74 ffffffff 00000000 ffffffff 0001 72", 3);
  EXPECT_EQ(newer.rack_id, "r");
  EXPECT_EQ(newer.user_data, std::nullopt);
}

TEST_F(GoldenBytes, CommittedOffset) {
  const auto key = decoded_from<OffsetCommitKey>("0001 67 0001 74 00000000", 0);
  EXPECT_EQ(key.group, "g");
  EXPECT_EQ(key.topic, "t");
  EXPECT_EQ(key.partition, 0);
  const auto value = decoded_from<OffsetCommitValue>("0000000000000005 ffffffff 0000 0000018bcfe56800", 3);
  EXPECT_EQ(value.offset, 5);
  EXPECT_EQ(value.leader_epoch, -1);
  EXPECT_EQ(value.metadata, "");
  EXPECT_EQ(value.commit_timestamp, 1700000000000);
}

TEST_F(GoldenBytes, TransactionMarker) {
  EXPECT_EQ(decoded_from<EndTxnMarkerData>("00000000", 0).coordinator_epoch, 0);
}

}  // namespace
}  // namespace braid::protocol
