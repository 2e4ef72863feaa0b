// CreatePartitions through dispatch.
#include "broker/api/37_create_partitions.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "broker/api/test_topic.h"
#include "protocol/messages/37_create_partitions.h"

namespace braid::broker {
namespace {

using protocol::BrokerId;
using protocol::CreatePartitionsRequest;
using protocol::CreatePartitionsResponse;
using protocol::ErrorCode;
using Asked = CreatePartitionsRequest::CreatePartitionsTopic;
using Assignment = CreatePartitionsRequest::CreatePartitionsAssignment;

std::vector<std::pair<std::string, ErrorCode>> grow(TestNode& node, const std::vector<Asked>& topics,
                                                    bool validate_only = false, std::int16_t version = 3) {
  CreatePartitionsRequest request;
  request.topics = topics;
  request.validate_only = validate_only;
  std::vector<std::pair<std::string, ErrorCode>> results;
  const auto response = node.ask<CreatePartitionsResponse>(request, version);
  for (const auto& each : response.results) {
    EXPECT_EQ(each.error_message.has_value(), each.error_code != ErrorCode::kNone);
    results.emplace_back(each.name, each.error_code);
  }
  return results;
}

ErrorCode grow_one(TestNode& node, const Asked& topic, bool validate_only = false, std::int16_t version = 3) {
  return grow(node, {topic}, validate_only, version).at(0).second;
}

TEST(CreatePartitions, MakesThemInEveryVersion) {
  TestNode node;
  ASSERT_EQ(create_topic(node, "t", 1, {{"max.message.bytes", "77"}}), ErrorCode::kNone);
  for (std::int16_t version = 0; version <= 3; ++version) {
    EXPECT_EQ(grow_one(node, {"t", version + 2, std::nullopt}, false, version), ErrorCode::kNone);
    EXPECT_EQ(topic_of(node, "t")->partition_count, version + 2);
  }
  for (std::int32_t index = 0; index < 5; ++index) {
    Partition* const partition = node.node().shard.find(topic_of(node, "t")->id, index);
    ASSERT_NE(partition, nullptr) << index;
    EXPECT_EQ(partition->settings().rules.batch_bytes_max, 77U) << index;
  }
}

TEST(CreatePartitions, HasOneResultForEachTopicAlsoForFailures) {
  TestNode node;
  for (const auto* name : {"a", "b", "c", "d", "e"}) ASSERT_EQ(create_topic(node, name, 3), ErrorCode::kNone);
  const std::vector<std::pair<std::string, ErrorCode>> expected = {
      {"a", ErrorCode::kInvalidPartitions},          {"b", ErrorCode::kInvalidPartitions},
      {"gone", ErrorCode::kUnknownTopicOrPartition}, {"c", ErrorCode::kInvalidRequest},
      {"d", ErrorCode::kInvalidPartitions},          {"e", ErrorCode::kNone}};
  EXPECT_EQ(grow(node, {{"a", 3, std::nullopt},
                        {"b", 2, std::nullopt},
                        {"gone", 4, std::nullopt},
                        {"c", 4, std::nullopt},
                        {"c", 5, std::nullopt},
                        {"d", 2147483647, std::nullopt},
                        {"e", 4, std::nullopt}}),
            expected);
  EXPECT_EQ(topic_of(node, "c")->partition_count, 3);
  EXPECT_EQ(topic_of(node, "e")->partition_count, 4);
}

TEST(CreatePartitions, TakesAssignmentsToThisBrokerAlone) {
  TestNode node;
  ASSERT_EQ(create_topic(node, "t"), ErrorCode::kNone);
  const std::array<BrokerId, 2> ids = {BrokerId{1}, BrokerId{2}};
  const Assignment here{std::span(ids).first(1)};
  const Assignment elsewhere{std::span(ids).last(1)};
  const Assignment both{ids};
  const Assignment nowhere{};
  const auto assigned = [&](const std::vector<Assignment>& assignments) {
    return grow_one(node, {"t", 3, std::span<const Assignment>(assignments)});
  };
  for (const auto& bad : std::vector<std::vector<Assignment>>{
           {}, {here}, {here, here, here}, {here, elsewhere}, {both, here}, {here, nowhere}})
    EXPECT_EQ(assigned(bad), ErrorCode::kInvalidReplicaAssignment) << bad.size();
  EXPECT_EQ(topic_of(node, "t")->partition_count, 1);
  EXPECT_EQ(assigned({here, here}), ErrorCode::kNone);
  EXPECT_EQ(topic_of(node, "t")->partition_count, 3);
}

TEST(CreatePartitions, MakesNothingWhenItOnlyValidates) {
  TestNode node;
  ASSERT_EQ(create_topic(node, "t"), ErrorCode::kNone);
  EXPECT_EQ(grow_one(node, {"t", 2, std::nullopt}, true), ErrorCode::kNone);
  EXPECT_EQ(grow_one(node, {"t", 1, std::nullopt}, true), ErrorCode::kInvalidPartitions);
  EXPECT_EQ(topic_of(node, "t")->partition_count, 1);
}

}  // namespace
}  // namespace braid::broker
