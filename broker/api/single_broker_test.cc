// What a cluster of one broker says about elections, reassignments, directories, the quorum and what is configurable;
// through dispatch.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "broker/api/test_node.h"
#include "broker/api/test_requests.h"
#include "protocol/messages/34_alter_replica_log_dirs.h"
#include "protocol/messages/35_describe_log_dirs.h"
#include "protocol/messages/43_elect_leaders.h"
#include "protocol/messages/45_alter_partition_reassignments.h"
#include "protocol/messages/46_list_partition_reassignments.h"
#include "protocol/messages/55_describe_quorum.h"
#include "protocol/messages/74_list_config_resources.h"

namespace braid::broker {
namespace {

using protocol::BrokerId;
using protocol::ErrorCode;

constexpr std::int32_t kThere[] = {0, 1};
constexpr std::int32_t kThereAndNot[] = {1, 2, -1};

TEST(AlterReplicaLogDirs, TakesTheDirectoryThatThereIsAndNoOther) {
  TestNode node;
  node.facts().log_dir = "/data";
  create_topic(node, "t", 2);
  using Request = protocol::AlterReplicaLogDirsRequest;
  const Request::AlterReplicaLogDirTopic topics[] = {{"t", kThereAndNot}, {"missing", kThere}};
  for (std::int16_t version = 1; version <= 2; ++version) {
    for (const bool here : {true, false}) {
      const Request::AlterReplicaLogDir directory{here ? "/data" : "/elsewhere", topics};
      Request request;
      request.dirs = {&directory, 1};
      const auto response = node.ask<protocol::AlterReplicaLogDirsResponse>(request, version);
      ASSERT_EQ(response.results.size(), 2U);
      const ErrorCode unknown = here ? ErrorCode::kUnknownTopicOrPartition : ErrorCode::kLogDirNotFound;
      EXPECT_EQ(response.results[0].topic_name, "t");
      EXPECT_EQ(response.results[0].partitions[0].error_code, here ? ErrorCode::kNone : ErrorCode::kLogDirNotFound);
      EXPECT_EQ(response.results[0].partitions[1].error_code, unknown);
      EXPECT_EQ(response.results[0].partitions[2].error_code, unknown);
      EXPECT_EQ(response.results[1].partitions[1].error_code, unknown);
    }
  }
}

TEST(DescribeLogDirs, TellsThePartitionsAndTheVolumeOfTheOneDirectory) {
  TestNode node;
  node.facts().log_dir = "/";
  create_topic(node, "a", 1);
  create_topic(node, "b", 2);
  protocol::DescribeLogDirsRequest request;
  request.topics = std::nullopt;
  for (std::int16_t version = 1; version <= 5; ++version) {
    const auto response = node.ask<protocol::DescribeLogDirsResponse>(request, version);
    EXPECT_EQ(response.error_code, ErrorCode::kNone);
    ASSERT_EQ(response.results.size(), 1U);
    const auto& directory = response.results[0];
    EXPECT_EQ(directory.log_dir, "/");
    ASSERT_EQ(directory.topics.size(), 2U);
    EXPECT_EQ(directory.topics[0].name, "a");
    EXPECT_EQ(directory.topics[1].partitions.size(), 2U);
    EXPECT_EQ(directory.topics[1].partitions[1].partition_index, 1);
    EXPECT_FALSE(directory.topics[1].partitions[1].is_future_key);
    EXPECT_EQ(directory.total_bytes > 0, version >= 4);
    EXPECT_EQ(directory.usable_bytes >= 0, version >= 4);
    EXPECT_FALSE(directory.is_cordoned);
  }
}

TEST(DescribeLogDirs, CountsThePartitionsOwnBytes) {
  TestNode node;
  create_topic(node, "t", 2);
  ASSERT_EQ(produce(node, batch_of_values({"a", "b"}), {.partition = 1}).error, ErrorCode::kNone);
  const protocol::DescribeLogDirsRequest::DescribableLogDirTopic asked[] = {{"t", kThereAndNot}, {"missing", kThere}};
  protocol::DescribeLogDirsRequest request;
  request.topics = asked;
  const auto response = node.ask<protocol::DescribeLogDirsResponse>(request, 5);
  ASSERT_EQ(response.results[0].topics.size(), 1U);
  ASSERT_EQ(response.results[0].topics[0].partitions.size(), 1U);
  EXPECT_GT(response.results[0].topics[0].partitions[0].partition_size, 0);
  EXPECT_EQ(response.results[0].total_bytes, -1) << "records in memory lie on no volume";
}

TEST(ElectLeaders, FindsEveryLeaderInPlace) {
  TestNode node;
  create_topic(node, "t", 2);
  const protocol::ElectLeadersRequest::TopicPartitions asked[] = {{"t", kThereAndNot}, {"missing", kThere}};
  protocol::ElectLeadersRequest request;
  request.topic_partitions = asked;
  for (std::int16_t version = 0; version <= 2; ++version) {
    const auto response = node.ask<protocol::ElectLeadersResponse>(request, version);
    EXPECT_EQ(response.error_code, ErrorCode::kNone);
    ASSERT_EQ(response.replica_election_results.size(), 2U);
    const auto& told = response.replica_election_results[0].partition_result;
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told[0].error_code, ErrorCode::kElectionNotNeeded);
    EXPECT_EQ(told[1].error_code, ErrorCode::kUnknownTopicOrPartition);
    EXPECT_EQ(told[2].error_code, ErrorCode::kUnknownTopicOrPartition);
    EXPECT_EQ(response.replica_election_results[1].partition_result[0].error_code, ErrorCode::kUnknownTopicOrPartition);
  }
}

TEST(ElectLeaders, HasNothingToTellOfAllPartitionsAndRefusesUnknownTypes) {
  TestNode node;
  create_topic(node, "t", 2);
  protocol::ElectLeadersRequest request;
  request.topic_partitions = std::nullopt;
  for (const std::int8_t type : {std::int8_t{0}, std::int8_t{1}}) {
    request.election_type = type;
    const auto response = node.ask<protocol::ElectLeadersResponse>(request, 2);
    EXPECT_EQ(response.error_code, ErrorCode::kNone);
    EXPECT_TRUE(response.replica_election_results.empty());
  }
  for (const std::int8_t type : {std::int8_t{-1}, std::int8_t{2}}) {
    request.election_type = type;
    EXPECT_EQ(node.ask<protocol::ElectLeadersResponse>(request, 2).error_code, ErrorCode::kInvalidRequest);
  }
}

TEST(AlterPartitionReassignments, MovesNothingAnywhereElse) {
  TestNode node;
  create_topic(node, "t", 2);
  using Request = protocol::AlterPartitionReassignmentsRequest;
  const BrokerId self{node.facts().node_id};
  const BrokerId other{self.value + 1};
  const BrokerId both[] = {self, other};
  const std::span<const BrokerId> here{&self, 1};
  const std::span<const BrokerId> there{&other, 1};
  const Request::ReassignablePartition partitions[] = {
      {0, here}, {0, there}, {0, both}, {0, std::span<const BrokerId>{}}, {1, std::nullopt}, {2, here}};
  const Request::ReassignableTopic topic{"t", partitions};
  Request request;
  request.topics = {&topic, 1};
  for (std::int16_t version = 0; version <= 1; ++version) {
    const auto response = node.ask<protocol::AlterPartitionReassignmentsResponse>(request, version);
    EXPECT_EQ(response.error_code, ErrorCode::kNone);
    std::vector<ErrorCode> errors;
    for (const auto& told : response.responses[0].partitions) errors.push_back(told.error_code);
    EXPECT_EQ(errors, (std::vector{ErrorCode::kNone, ErrorCode::kInvalidReplicaAssignment,
                                   ErrorCode::kInvalidReplicaAssignment, ErrorCode::kInvalidReplicaAssignment,
                                   ErrorCode::kNoReassignmentInProgress, ErrorCode::kUnknownTopicOrPartition}));
    EXPECT_FALSE(response.responses[0].partitions[0].error_message);
  }
}

TEST(ListPartitionReassignments, ListsNone) {
  TestNode node;
  create_topic(node, "t", 2);
  const auto response =
      node.ask<protocol::ListPartitionReassignmentsResponse>(protocol::ListPartitionReassignmentsRequest{}, 0);
  EXPECT_EQ(response.error_code, ErrorCode::kNone);
  EXPECT_FALSE(response.error_message);
  EXPECT_TRUE(response.topics.empty());
}

TEST(DescribeQuorum, ThisBrokerLeadsAndVotesAlone) {
  TestNode node;
  using Request = protocol::DescribeQuorumRequest;
  const Request::PartitionData partitions[] = {{0}, {1}};
  const Request::TopicData topics[] = {{"__cluster_metadata", partitions}, {"other", partitions}};
  Request request;
  request.topics = topics;
  for (std::int16_t version = 0; version <= 2; ++version) {
    create_topic(node, "t" + std::to_string(version), 1);
    const auto response = node.ask<protocol::DescribeQuorumResponse>(request, version);
    EXPECT_EQ(response.error_code, ErrorCode::kNone);
    const auto& told = response.topics[0].partitions[0];
    EXPECT_EQ(told.error_code, ErrorCode::kNone);
    EXPECT_EQ(told.leader_id.value, node.facts().node_id);
    EXPECT_GT(told.high_watermark, version) << "a record a topic at least";
    ASSERT_EQ(told.current_voters.size(), 1U);
    EXPECT_EQ(told.current_voters[0].replica_id, told.leader_id);
    EXPECT_EQ(told.current_voters[0].log_end_offset, told.high_watermark);
    EXPECT_EQ(told.current_voters[0].last_caught_up_timestamp > 0, version >= 1);
    EXPECT_TRUE(told.observers.empty());
    EXPECT_EQ(response.topics[0].partitions[1].error_code, ErrorCode::kUnknownTopicOrPartition);
    EXPECT_EQ(response.topics[1].partitions[0].error_code, ErrorCode::kUnknownTopicOrPartition);
    EXPECT_EQ(response.nodes.size(), version >= 2 ? 1U : 0U);
  }
}

std::set<std::pair<int, std::string>> listed(TestNode& node, std::vector<std::int8_t> types, std::int16_t version) {
  protocol::ListConfigResourcesRequest request;
  request.resource_types = types;
  std::set<std::pair<int, std::string>> all;
  for (const auto& each : node.ask<protocol::ListConfigResourcesResponse>(request, version).config_resources)
    all.emplace(each.resource_type, each.resource_name);
  return all;
}

TEST(ListConfigResources, ListsByType) {
  TestNode node;
  create_topic(node, "t", 1);
  const std::string self = std::to_string(node.facts().node_id);
  using All = std::set<std::pair<int, std::string>>;
  EXPECT_EQ(listed(node, {}, 1), (All{{2, "t"}, {4, self}, {8, self}}));
  EXPECT_EQ(listed(node, {2, 2}, 1), (All{{2, "t"}}));
  EXPECT_EQ(listed(node, {16, 32}, 1), All{});
  EXPECT_EQ(listed(node, {}, 0), All{}) << "client metrics alone";
  protocol::ListConfigResourcesRequest request;
  const std::int8_t unknown = 3;
  request.resource_types = {&unknown, 1};
  EXPECT_EQ(node.ask<protocol::ListConfigResourcesResponse>(request, 1).error_code, ErrorCode::kUnsupportedVersion);
}

}  // namespace
}  // namespace braid::broker
