// DescribeTopicPartitions through dispatch: order, pages, cursors.
#include "broker/api/75_describe_topic_partitions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "broker/api/authorized_operations.h"
#include "broker/api/test_topic.h"
#include "protocol/messages/75_describe_topic_partitions.h"

namespace braid::broker {
namespace {

using protocol::BrokerId;
using protocol::DescribeTopicPartitionsRequest;
using protocol::DescribeTopicPartitionsResponse;
using protocol::ErrorCode;
using Cursor = DescribeTopicPartitionsRequest::Cursor;

/// "a:0,1 b:0" and " > b:1" for a cursor; "gone!3" for an error.
std::string text_of(const DescribeTopicPartitionsResponse& response) {
  std::string text;
  for (const auto& topic : response.topics) {
    if (!text.empty()) text += ' ';
    text += topic.name.value_or("null");
    if (topic.error_code != ErrorCode::kNone) text += "!" + std::to_string(static_cast<int>(topic.error_code));
    char before = ':';
    for (const auto& partition : topic.partitions) {
      text += before + std::to_string(partition.partition_index);
      before = ',';
    }
  }
  if (response.next_cursor)
    text += " > " + std::string(response.next_cursor->topic_name) + ":" +
            std::to_string(response.next_cursor->partition_index);
  return text;
}

class DescribeTopicPartitions : public testing::Test {
 protected:
  DescribeTopicPartitions() {
    for (const auto& [name, count] : std::vector<std::pair<std::string_view, int>>{{"c", 1}, {"a", 3}, {"b", 2}})
      EXPECT_EQ(create_topic(node_, name, count), ErrorCode::kNone);
  }

  std::string page(const std::vector<std::string_view>& names, std::int32_t limit, std::optional<Cursor> cursor = {}) {
    std::vector<DescribeTopicPartitionsRequest::TopicRequest> topics;
    for (const std::string_view name : names) topics.push_back({name});
    DescribeTopicPartitionsRequest request;
    request.topics = topics;
    request.response_partition_limit = limit;
    request.cursor = cursor;
    return text_of(node_.ask<DescribeTopicPartitionsResponse>(request, 0));
  }

  TestNode node_{{{"max.request.partition.size.limit", "5"}}};
};

TEST_F(DescribeTopicPartitions, SortsByNameAndListsAllWhenNoneIsNamed) {
  EXPECT_EQ(page({"c", "a"}, 2000), "a:0,1,2 c:0");
  EXPECT_EQ(page({"c", "c", "b"}, 2000), "b:0,1 c:0");
  EXPECT_EQ(page({}, 4), "a:0,1,2 b:0 > b:1");
}

TEST_F(DescribeTopicPartitions, CutsAtTheBrokersLimitTheClientsAndOne) {
  EXPECT_EQ(page({}, 2000), "a:0,1,2 b:0,1 > c:0") << "the broker's";
  EXPECT_EQ(page({}, 2), "a:0,1 > a:2");
  for (const std::int32_t limit : {1, 0, -1, -2147483647}) EXPECT_EQ(page({}, limit), "a:0 > a:1") << limit;
  EXPECT_EQ(page({"a", "b"}, 2000), "a:0,1,2 b:0,1") << "what is full and complete has no cursor";
}

TEST_F(DescribeTopicPartitions, GoesOnAtTheCursor) {
  EXPECT_EQ(page({}, 2, Cursor{"a", 2}), "a:2 b:0 > b:1");
  EXPECT_EQ(page({}, 2, Cursor{"b", 1}), "b:1 c:0");
  EXPECT_EQ(page({"a", "c"}, 1, Cursor{"a", 2}), "a:2 > c:0");
  EXPECT_EQ(page({"a", "c"}, 1, Cursor{"c", 0}), "c:0");
  EXPECT_EQ(page({}, 5, Cursor{"b", 99}), "b c:0") << "a topic has fewer than before";
  EXPECT_EQ(page({}, 5, Cursor{"bb", 3}), "c:0") << "the cursor's topic is gone";
}

TEST_F(DescribeTopicPartitions, WalksThroughAllPartitionsInPages) {
  for (std::int32_t limit = 1; limit <= 6; ++limit) {
    std::vector<std::string> seen;
    DescribeTopicPartitionsRequest request;
    request.response_partition_limit = limit;
    std::string name;
    for (int pages = 0; pages < 10; ++pages) {
      const auto response = node_.ask<DescribeTopicPartitionsResponse>(request, 0);
      for (const auto& topic : response.topics)
        for (const auto& partition : topic.partitions)
          seen.push_back(std::string(*topic.name) + std::to_string(partition.partition_index));
      if (!response.next_cursor) break;
      name = response.next_cursor->topic_name;
      request.cursor = Cursor{name, response.next_cursor->partition_index};
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"a0", "a1", "a2", "b0", "b1", "c0"})) << limit;
  }
}

TEST_F(DescribeTopicPartitions, RefusesACursorThatDoesNotFit) {
  EXPECT_EQ(page({"a", "c"}, 5, Cursor{"b", 0}), "a!42 c!42");
  EXPECT_EQ(page({"a"}, 5, Cursor{"a", -1}), "a!42");
  EXPECT_EQ(page({}, 5, Cursor{"b", -1}), "b!42");
}

TEST_F(DescribeTopicPartitions, NamesWhatIsMissing) { EXPECT_EQ(page({"gone", "a/b", "c"}, 5), "a/b!17 c:0 gone!3"); }

TEST_F(DescribeTopicPartitions, ShowsLeaderReplicasAndOperations) {
  const DescribeTopicPartitionsRequest::TopicRequest asked{"c"};
  DescribeTopicPartitionsRequest request;
  request.topics = {&asked, 1};
  const auto response = node_.ask<DescribeTopicPartitionsResponse>(request, 0);
  const auto& topic = response.topics[0];
  EXPECT_EQ(topic.topic_id, topic_of(node_, "c")->id);
  EXPECT_FALSE(topic.is_internal);
  EXPECT_EQ(topic.topic_authorized_operations, kTopicOperations);
  const auto& partition = topic.partitions[0];
  EXPECT_EQ(partition.leader_id, BrokerId{1});
  EXPECT_EQ(partition.leader_epoch, 0);
  ASSERT_EQ(partition.replica_nodes.size(), 1U);
  EXPECT_EQ(partition.replica_nodes[0], BrokerId{1});
  ASSERT_EQ(partition.isr_nodes.size(), 1U);
  EXPECT_EQ(partition.isr_nodes[0], BrokerId{1});
  EXPECT_TRUE(partition.eligible_leader_replicas && partition.eligible_leader_replicas->empty());
  EXPECT_TRUE(partition.last_known_elr && partition.last_known_elr->empty());
  EXPECT_TRUE(partition.offline_replicas.empty());
}

}  // namespace
}  // namespace braid::broker
