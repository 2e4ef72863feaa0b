// Topics through a node in memory: what is refused and why, and what a second start finds.
#include "broker/metadata/topics.h"

#include <gtest/gtest.h>

#include <set>

#include "broker/api/test_node.h"
#include "protocol/messages/03_metadata.h"
#include "protocol/messages/19_create_topics.h"
#include "protocol/messages/20_delete_topics.h"
#include "protocol/messages/22_init_producer_id.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;

NewTopic topic(std::string name, std::int32_t partitions = -1, std::int16_t replicas = -1, TopicConfigs configs = {}) {
  NewTopic wanted;
  wanted.name = std::move(name);
  wanted.partition_count = partitions;
  wanted.replication_factor = replicas;
  wanted.configs = std::move(configs);
  return wanted;
}

ErrorCode create(TestNode& node, std::string_view name, std::int32_t partitions = 1) {
  protocol::CreateTopicsRequest::CreatableTopic wanted;
  wanted.name = name;
  wanted.num_partitions = partitions;
  wanted.replication_factor = 1;
  protocol::CreateTopicsRequest request;
  request.topics = {&wanted, 1};
  return node.ask<protocol::CreateTopicsResponse>(request, 7).topics[0].error_code;
}

ErrorCode remove(TestNode& node, std::string_view name) {
  protocol::DeleteTopicsRequest::DeleteTopicState wanted;
  wanted.name = name;
  protocol::DeleteTopicsRequest request;
  request.topics = {&wanted, 1};
  return node.ask<protocol::DeleteTopicsResponse>(request, 6).responses[0].error_code;
}

std::int64_t producer_id(TestNode& node) {
  protocol::InitProducerIdRequest request;
  request.transactional_id = std::nullopt;
  return node.ask<protocol::InitProducerIdResponse>(request, 4).producer_id.value;
}

struct Refused {
  const char* name;
  NewTopic wanted;
  ErrorCode code;
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

class TopicRefusals : public testing::TestWithParam<Refused> {};

TEST_P(TopicRefusals, HaveKafkasCode) {
  TestNode node;
  ASSERT_EQ(create(node, "has.dot"), ErrorCode::kNone);
  const TopicOutcome outcome = node.node().topics.preview(GetParam().wanted);
  EXPECT_EQ(outcome.error, GetParam().code) << outcome.message;
  EXPECT_EQ(outcome.message.empty(), GetParam().code == ErrorCode::kNone);
}

INSTANTIATE_TEST_SUITE_P(
    Table, TopicRefusals,
    testing::Values(Refused{"plain", topic("plain"), ErrorCode::kNone},
                    Refused{"empty_name", topic(""), ErrorCode::kInvalidTopicException},
                    Refused{"dot", topic("."), ErrorCode::kInvalidTopicException},
                    Refused{"two_dots", topic(".."), ErrorCode::kInvalidTopicException},
                    Refused{"a_path", topic("../../x"), ErrorCode::kInvalidTopicException},
                    Refused{"a_space", topic("a b"), ErrorCode::kInvalidTopicException},
                    Refused{"longest_name", topic(std::string(249, 'a')), ErrorCode::kNone},
                    Refused{"too_long_name", topic(std::string(250, 'a')), ErrorCode::kInvalidTopicException},
                    Refused{"there_already", topic("has.dot"), ErrorCode::kTopicAlreadyExists},
                    Refused{"collides", topic("has_dot"), ErrorCode::kInvalidTopicException},
                    Refused{"no_partitions", topic("t", 0), ErrorCode::kInvalidPartitions},
                    Refused{"negative_partitions", topic("t", -2), ErrorCode::kInvalidPartitions},
                    Refused{"too_many_partitions", topic("t", 100'001), ErrorCode::kInvalidPartitions},
                    Refused{"no_replicas", topic("t", 1, 0), ErrorCode::kInvalidReplicationFactor},
                    Refused{"two_replicas", topic("t", 1, 2), ErrorCode::kInvalidReplicationFactor},
                    Refused{"unknown_key", topic("t", 1, 1, {{"no.such.key", "1"}}), ErrorCode::kInvalidConfig},
                    Refused{"bad_value", topic("t", 1, 1, {{"retention.ms", "soon"}}), ErrorCode::kInvalidConfig},
                    Refused{"tiers", topic("t", 1, 1, {{"remote.storage.enable", "true"}}), ErrorCode::kInvalidConfig}),
    [](const auto& each) { return each.param.name; });

TEST(Topics, AreThereAfterARestartAndRemovedOnesAreNot) {
  storage::MemoryStore store;
  protocol::Uuid kept;
  {
    TestNode node({}, &store);
    ASSERT_EQ(create(node, "kept", 3), ErrorCode::kNone);
    ASSERT_EQ(create(node, "removed", 2), ErrorCode::kNone);
    ASSERT_EQ(remove(node, "removed"), ErrorCode::kNone);
    EXPECT_EQ(remove(node, "removed"), ErrorCode::kUnknownTopicOrPartition);
    kept = node.node().metadata.image()->find("kept")->id;
  }
  TestNode node({}, &store);
  const auto image = node.node().metadata.image();
  ASSERT_NE(image->find("kept"), nullptr);
  EXPECT_EQ(image->find("kept")->id, kept);
  EXPECT_EQ(image->find("removed"), nullptr);
  EXPECT_EQ(node.node().shard.partition_count(), 1U + 3U) << "the metadata log's own, and the topic's";
}

TEST(Topics, AreCompletedAtAStartAndStrangersAreRemoved) {
  storage::MemoryStore store;
  protocol::Uuid id;
  {
    TestNode node({}, &store);
    ASSERT_EQ(create(node, "half", 3), ErrorCode::kNone);
    id = node.node().metadata.image()->find("half")->id;
  }
  ASSERT_TRUE(store.remove(*store.find(id, storage::QueueId{1})).has_value());
  const protocol::Uuid stranger = protocol::uuid_from_halves(9, 9);
  ASSERT_TRUE(store.create({.topic = stranger, .name = "stranger", .queue = {}, .start = {}}).has_value());
  TestNode node({}, &store);
  for (std::int32_t index = 0; index < 3; ++index) EXPECT_NE(node.node().shard.find(id, index), nullptr) << index;
  EXPECT_FALSE(store.find(stranger, {}).has_value());
}

TEST(Topics, MadeAgainUnderANameAreOthers) {
  TestNode node;
  ASSERT_EQ(create(node, "again"), ErrorCode::kNone);
  const protocol::Uuid first = node.node().metadata.image()->find("again")->id;
  ASSERT_EQ(remove(node, "again"), ErrorCode::kNone);
  ASSERT_EQ(create(node, "again"), ErrorCode::kNone);
  EXPECT_NE(node.node().metadata.image()->find("again")->id, first);
}

TEST(Topics, FillTheMetadataLogNoFurtherThanTwiceWhatIsAlive) {
  storage::MemoryStore store;
  {
    TestNode node({}, &store);
    ASSERT_EQ(create(node, "kept"), ErrorCode::kNone);
    for (int i = 0; i < 12'000; ++i) {  // of some 150 bytes each
      ASSERT_EQ(create(node, "passing"), ErrorCode::kNone);
      ASSERT_EQ(remove(node, "passing"), ErrorCode::kNone);
    }
    const auto log = store.view(*store.find(protocol::uuid_from_halves(0, 1), {}));
    EXPECT_GT(log.start.value, 0);
    EXPECT_LT(log.size_bytes, 3 << 20);
  }
  TestNode node({}, &store);
  EXPECT_NE(node.node().metadata.image()->find("kept"), nullptr);
  EXPECT_EQ(node.node().metadata.image()->by_name.size(), 1U);
}

TEST(ProducerIds, AreGivenOnceWhateverIsRestarted) {
  storage::MemoryStore store;
  std::set<std::int64_t> ids;
  for (int start = 0; start < 3; ++start) {
    TestNode node({}, &store);
    for (int i = 0; i < 1100; ++i) ids.insert(producer_id(node));
  }
  EXPECT_EQ(ids.size(), 3U * 1100);
}

TEST(Metadata, NamesAllForNullAndNoneForEmptyButInVersion0) {
  TestNode node;
  ASSERT_EQ(create(node, "one"), ErrorCode::kNone);
  for (const std::int16_t version : std::initializer_list<std::int16_t>{0, 1, 5, 9, 13}) {
    protocol::MetadataRequest request;
    request.topics = std::span<const protocol::MetadataRequest::Topic>{};
    const auto none = node.ask<protocol::MetadataResponse>(request, version);
    EXPECT_EQ(none.topics.size(), version == 0 ? 1U : 0U) << version;
    EXPECT_EQ(none.brokers.size(), 1U);
    if (version == 0) continue;
    request.topics = std::nullopt;
    EXPECT_EQ(node.ask<protocol::MetadataResponse>(request, version).topics.size(), 1U) << version;
  }
}

TEST(Metadata, MakesATopicThatIsNamedUnlessToldNotTo) {
  TestNode node(TestNode::Settings{{"num.partitions", "4"}});
  protocol::MetadataRequest::Topic named;
  named.name = "made";
  protocol::MetadataRequest request;
  request.topics = std::span(&named, 1);
  request.allow_auto_topic_creation = false;
  EXPECT_EQ(node.ask<protocol::MetadataResponse>(request, 9).topics[0].error_code, ErrorCode::kUnknownTopicOrPartition);
  request.allow_auto_topic_creation = true;
  const auto made = node.ask<protocol::MetadataResponse>(request, 9);
  EXPECT_EQ(made.topics[0].error_code, ErrorCode::kNone);
  EXPECT_EQ(made.topics[0].partitions.size(), 4U);
  named.name = "../x";
  EXPECT_EQ(node.ask<protocol::MetadataResponse>(request, 9).topics[0].error_code, ErrorCode::kInvalidTopicException);
  EXPECT_EQ(node.node().metadata.image()->by_name.size(), 1U);
}

TEST(Metadata, TakesIdsFrom12OnAndRefusesThemBefore) {
  TestNode node;
  ASSERT_EQ(create(node, "one"), ErrorCode::kNone);
  protocol::MetadataRequest::Topic by_id;
  by_id.name = std::nullopt;
  by_id.topic_id = node.node().metadata.image()->find("one")->id;
  protocol::MetadataRequest request;
  request.topics = std::span(&by_id, 1);
  EXPECT_EQ(node.ask<protocol::MetadataResponse>(request, 12).topics[0].name, "one");
  EXPECT_EQ(node.ask<protocol::MetadataResponse>(request, 10).topics[0].error_code, ErrorCode::kInvalidRequest);
  by_id.topic_id = protocol::uuid_from_halves(8, 8);
  const auto unknown = node.ask<protocol::MetadataResponse>(request, 13);
  EXPECT_EQ(unknown.topics[0].error_code, ErrorCode::kUnknownTopicId);
  EXPECT_FALSE(unknown.topics[0].name.has_value());
}

}  // namespace
}  // namespace braid::broker
