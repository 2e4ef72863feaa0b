// IncrementalAlterConfigs and AlterConfigs through dispatch: what a topic has afterwards, and what acts at once.
#include "broker/api/44_incremental_alter_configs.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "broker/api/test_topic.h"
#include "protocol/messages/32_describe_configs.h"
#include "protocol/messages/33_alter_configs.h"
#include "protocol/messages/44_incremental_alter_configs.h"

namespace braid::broker {
namespace {

using protocol::AlterConfigsRequest;
using protocol::AlterConfigsResponse;
using protocol::DescribeConfigsRequest;
using protocol::DescribeConfigsResponse;
using protocol::ErrorCode;
using protocol::IncrementalAlterConfigsRequest;
using protocol::IncrementalAlterConfigsResponse;
using Change = IncrementalAlterConfigsRequest::AlterableConfig;
using Resource = IncrementalAlterConfigsRequest::AlterConfigsResource;
using Value = AlterConfigsRequest::AlterableConfig;
using WholeResource = AlterConfigsRequest::AlterConfigsResource;

constexpr std::int8_t kTopic = 2;
constexpr std::int8_t kBroker = 4;
constexpr std::int8_t kSet = 0;
constexpr std::int8_t kDelete = 1;
constexpr std::int8_t kAppend = 2;
constexpr std::int8_t kSubtract = 3;

std::vector<ErrorCode> alter(TestNode& node, const std::vector<Resource>& resources, bool validate_only = false,
                             std::int16_t version = 1) {
  IncrementalAlterConfigsRequest request;
  request.resources = resources;
  request.validate_only = validate_only;
  std::vector<ErrorCode> errors;
  const auto response = node.ask<IncrementalAlterConfigsResponse>(request, version);
  for (const auto& each : response.responses) {
    EXPECT_EQ(each.error_message.has_value(), each.error_code != ErrorCode::kNone);
    EXPECT_EQ(each.resource_name, resources[errors.size()].resource_name);
    EXPECT_EQ(each.resource_type, resources[errors.size()].resource_type);
    errors.push_back(each.error_code);
  }
  return errors;
}

ErrorCode alter_topic(TestNode& node, const std::vector<Change>& changes, bool validate_only = false) {
  return alter(node, {{kTopic, "t", changes}}, validate_only).at(0);
}

ErrorCode replace(TestNode& node, std::string_view topic, const std::vector<Value>& values, bool validate_only = false,
                  std::int16_t version = 2) {
  const WholeResource resource{kTopic, topic, values};
  AlterConfigsRequest request;
  request.resources = {&resource, 1};
  request.validate_only = validate_only;
  return node.ask<AlterConfigsResponse>(request, version).responses[0].error_code;
}

const TopicSettings& settings_of(TestNode& node, std::int32_t partition) {
  Partition* const found = node.node().shard.find(topic_of(node, "t")->id, partition);
  protocol::check(found != nullptr, "the partition is there");
  return found->settings();
}

std::string value_of(TestNode& node, std::string_view key) {
  const TopicConfigs& configs = topic_of(node, "t")->configs;
  const auto found = configs.find(key);
  return found == configs.end() ? "none" : found->second;
}

class AlterTopic : public testing::Test {
 protected:
  AlterTopic() { EXPECT_EQ(create_topic(node_, "t", 3, {{"retention.ms", "5000"}}), ErrorCode::kNone); }
  TestNode node_;
};

TEST_F(AlterTopic, SetsWithoutBlanksAndLeavesWhatIsNotNamed) {
  for (std::int16_t version = 0; version <= 1; ++version) {
    const std::string value = " " + std::to_string(2'000'000 + version) + "\t";
    const std::array<Change, 1> change = {Change{"segment.bytes", kSet, value}};
    EXPECT_EQ(alter(node_, {{kTopic, "t", change}}, false, version), std::vector{ErrorCode::kNone});
    EXPECT_EQ(value_of(node_, "segment.bytes"), std::to_string(2'000'000 + version));
    EXPECT_EQ(value_of(node_, "retention.ms"), "5000");
  }
}

TEST_F(AlterTopic, ActsAtOnceInEveryPartition) {
  ASSERT_EQ(settings_of(node_, 0).rules.batch_bytes_max, 1048588U);
  EXPECT_EQ(alter_topic(node_, {{"max.message.bytes", kSet, "77"},
                                {"min.insync.replicas", kSet, "2"},
                                {"message.timestamp.type", kSet, "LogAppendTime"},
                                {"cleanup.policy", kSet, "compact"},
                                {"compression.type", kSet, "zstd"},
                                {"flush.mode", kSet, "async"}}),
            ErrorCode::kNone);
  for (std::int32_t partition = 0; partition < 3; ++partition) {
    const TopicSettings& settings = settings_of(node_, partition);
    EXPECT_EQ(settings.rules.batch_bytes_max, 77U);
    EXPECT_EQ(settings.in_sync_replicas_min, 2);
    EXPECT_EQ(settings.rules.timestamp_type, protocol::TimestampType::kLogAppendTime);
    EXPECT_TRUE(settings.rules.compacted);
    EXPECT_FALSE(settings.deletes);
    EXPECT_TRUE(settings.recompression.has_value());
    EXPECT_EQ(settings.durability, storage::Durability::kWritten);
  }
  EXPECT_EQ(alter_topic(node_, {{"max.message.bytes", kDelete, std::nullopt}}), ErrorCode::kNone);
  EXPECT_EQ(settings_of(node_, 2).rules.batch_bytes_max, 1048588U);
  EXPECT_EQ(value_of(node_, "max.message.bytes"), "none");
  EXPECT_EQ(value_of(node_, "cleanup.policy"), "compact");
}

TEST_F(AlterTopic, AppendsAndSubtractsWhatIsNotThereOrIs) {
  EXPECT_EQ(alter_topic(node_, {{"cleanup.policy", kAppend, "delete"}}), ErrorCode::kNone);
  EXPECT_EQ(value_of(node_, "cleanup.policy"), "none") << "delete is in force already";
  EXPECT_EQ(alter_topic(node_, {{"cleanup.policy", kAppend, "compact"}}), ErrorCode::kNone);
  EXPECT_EQ(value_of(node_, "cleanup.policy"), "delete,compact");
  EXPECT_EQ(alter_topic(node_, {{"cleanup.policy", kAppend, "compact, delete"}}), ErrorCode::kNone);
  EXPECT_EQ(value_of(node_, "cleanup.policy"), "delete,compact");
  EXPECT_EQ(alter_topic(node_, {{"cleanup.policy", kSubtract, "delete"}}), ErrorCode::kNone);
  EXPECT_EQ(value_of(node_, "cleanup.policy"), "compact");
  EXPECT_EQ(alter_topic(node_, {{"cleanup.policy", kSubtract, "compact,delete"}}), ErrorCode::kNone);
  EXPECT_EQ(value_of(node_, "cleanup.policy"), "") << "nothing is removed any more";
  EXPECT_FALSE(settings_of(node_, 0).deletes);
  EXPECT_EQ(alter_topic(node_, {{"leader.replication.throttled.replicas", kAppend, "0:1,1:1"}}), ErrorCode::kNone);
  EXPECT_EQ(value_of(node_, "leader.replication.throttled.replicas"), "0:1,1:1");
}

TEST_F(AlterTopic, BeginsToAppendWithWhatTheBrokerSays) {
  TestNode node(std::vector<std::pair<std::string, std::string>>{{"log.cleanup.policy", "compact"}});
  ASSERT_EQ(create_topic(node, "t"), ErrorCode::kNone);
  EXPECT_EQ(alter_topic(node, {{"cleanup.policy", kAppend, "delete"}}), ErrorCode::kNone);
  EXPECT_EQ(value_of(node, "cleanup.policy"), "compact,delete");
}

TEST_F(AlterTopic, ChangesNothingWhenItOnlyValidates) {
  EXPECT_EQ(alter_topic(node_, {{"retention.ms", kSet, "1"}, {"segment.bytes", kSet, "1048576"}}, true),
            ErrorCode::kNone);
  EXPECT_EQ(alter_topic(node_, {{"retention.ms", kSet, "x"}}, true), ErrorCode::kInvalidConfig);
  EXPECT_EQ(replace(node_, "t", {}, true), ErrorCode::kNone);
  EXPECT_EQ(value_of(node_, "retention.ms"), "5000");
  EXPECT_EQ(value_of(node_, "segment.bytes"), "none");
}

struct ChangeCase {
  const char* name;
  std::vector<Change> changes;
  ErrorCode error;
};

class RefusedChange : public AlterTopic, public testing::WithParamInterface<ChangeCase> {};

TEST_P(RefusedChange, ChangesNothing) {
  std::vector<Change> changes = {{"segment.bytes", kSet, "1048576"}};
  changes.insert(changes.end(), GetParam().changes.begin(), GetParam().changes.end());
  EXPECT_EQ(alter_topic(node_, changes), GetParam().error);
  EXPECT_EQ(value_of(node_, "segment.bytes"), "none");
  EXPECT_EQ(topic_of(node_, "t")->configs.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Changes, RefusedChange,
    testing::Values(
        ChangeCase{"unknown_key", {{"no.such.key", kSet, "1"}}, ErrorCode::kInvalidConfig},
        ChangeCase{"unknown_key_deleted", {{"no.such.key", kDelete, std::nullopt}}, ErrorCode::kInvalidConfig},
        ChangeCase{"unknown_key_appended", {{"no.such.key", kAppend, "1"}}, ErrorCode::kInvalidConfig},
        ChangeCase{"bad_value", {{"retention.ms", kSet, "-2"}}, ErrorCode::kInvalidConfig},
        ChangeCase{"bad_item", {{"cleanup.policy", kAppend, "shred"}}, ErrorCode::kInvalidConfig},
        ChangeCase{"append_to_a_number", {{"retention.ms", kAppend, "1"}}, ErrorCode::kInvalidConfig},
        ChangeCase{"subtract_from_a_text", {{"compression.type", kSubtract, "zstd"}}, ErrorCode::kInvalidConfig},
        ChangeCase{"twice", {{"retention.ms", kSet, "1"}, {"retention.ms", kDelete, {}}}, ErrorCode::kInvalidRequest},
        ChangeCase{"set_to_null", {{"retention.ms", kSet, std::nullopt}}, ErrorCode::kInvalidRequest},
        ChangeCase{"append_null", {{"cleanup.policy", kAppend, std::nullopt}}, ErrorCode::kInvalidRequest},
        ChangeCase{"operation_4", {{"retention.ms", 4, "1"}}, ErrorCode::kInvalidRequest},
        ChangeCase{"operation_below_0", {{"retention.ms", -1, "1"}}, ErrorCode::kInvalidRequest},
        ChangeCase{"remote_storage", {{"remote.storage.enable", kSet, "true"}}, ErrorCode::kInvalidConfig},
        ChangeCase{"no_replicas", {{"leader.replication.throttled.replicas", kSet, "all"}}, ErrorCode::kInvalidConfig},
        ChangeCase{"lags_that_cross",
                   {{"min.compaction.lag.ms", kSet, "10"}, {"max.compaction.lag.ms", kSet, "9"}},
                   ErrorCode::kInvalidConfig}),
    [](const auto& given) { return given.param.name; });

TEST_F(AlterTopic, HasOneResultForEachResourceAndOneBadOneStopsNoOther) {
  const std::array<Change, 1> good = {Change{"retention.ms", kSet, "6000"}};
  const std::array<Change, 1> bad = {Change{"no.such.key", kSet, "6000"}};
  ASSERT_EQ(create_topic(node_, "other"), ErrorCode::kNone);
  const std::vector<ErrorCode> expected = {
      ErrorCode::kInvalidConfig,  ErrorCode::kUnknownTopicOrPartition, ErrorCode::kInvalidTopicException,
      ErrorCode::kInvalidRequest, ErrorCode::kInvalidRequest,          ErrorCode::kInvalidRequest,
      ErrorCode::kInvalidRequest, ErrorCode::kInvalidRequest,          ErrorCode::kNone};
  EXPECT_EQ(alter(node_, {{kTopic, "other", bad},
                          {kTopic, "gone", good},
                          {kTopic, "a/b", good},
                          {kTopic, "", good},
                          {kBroker, "1", good},
                          {kBroker, "2", {}},
                          {8, "1", good},
                          {64, "x", good},
                          {kTopic, "t", good}}),
            expected);
  EXPECT_EQ(value_of(node_, "retention.ms"), "6000");
}

TEST_F(AlterTopic, RefusesAResourceThatComesTwice) {
  const std::array<Change, 1> change = {Change{"retention.ms", kSet, "6000"}};
  EXPECT_EQ(alter(node_, {{kTopic, "t", change}, {kTopic, "t", change}}),
            (std::vector{ErrorCode::kInvalidRequest, ErrorCode::kInvalidRequest}));
  EXPECT_EQ(value_of(node_, "retention.ms"), "5000");
}

TEST_F(AlterTopic, ReplacesTheWholeSetByAlterConfigs) {
  for (std::int16_t version = 0; version <= 2; ++version) {
    EXPECT_EQ(alter_topic(node_, {{"retention.ms", kSet, "5000"}}), ErrorCode::kNone);
    EXPECT_EQ(replace(node_, "t", {{"segment.bytes", " 1048576 "}}, false, version), ErrorCode::kNone);
    EXPECT_EQ(value_of(node_, "segment.bytes"), "1048576");
    EXPECT_EQ(value_of(node_, "retention.ms"), "none");
  }
  EXPECT_EQ(replace(node_, "t", {}), ErrorCode::kNone);
  EXPECT_TRUE(topic_of(node_, "t")->configs.empty());
}

TEST_F(AlterTopic, RefusesWhatAlterConfigsCanNotDo) {
  EXPECT_EQ(replace(node_, "gone", {}), ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(replace(node_, "t", {{"retention.ms", std::nullopt}}), ErrorCode::kInvalidRequest);
  EXPECT_EQ(replace(node_, "t", {{"retention.ms", "1"}, {"retention.ms", "2"}}), ErrorCode::kInvalidRequest);
  EXPECT_EQ(replace(node_, "t", {{"segment.bytes", "1048576"}, {"no.such.key", "2"}}), ErrorCode::kInvalidConfig);
  EXPECT_EQ(value_of(node_, "retention.ms"), "5000");
  EXPECT_EQ(topic_of(node_, "t")->configs.size(), 1U);
}

// What an administrator's tool does: it sends back what it was told.
TEST_F(AlterTopic, TakesBackEveryValueThatDescribeConfigsGives) {
  const DescribeConfigsRequest::DescribeConfigsResource asked{kTopic, "t", std::nullopt};
  DescribeConfigsRequest request;
  request.resources = {&asked, 1};
  const auto told = [&] {
    std::map<std::string, std::string> values;
    const auto response = node_.ask<DescribeConfigsResponse>(request, 4);
    for (const auto& entry : response.results[0].configs)
      if (entry.value) values.emplace(entry.name, *entry.value);
    return values;
  };
  const std::map<std::string, std::string> before = told();
  ASSERT_GT(before.size(), 35U);
  std::vector<Value> values;
  for (const auto& [key, value] : before) values.push_back({key, value});
  EXPECT_EQ(replace(node_, "t", values), ErrorCode::kNone);
  EXPECT_EQ(told(), before);
}

}  // namespace
}  // namespace braid::broker
