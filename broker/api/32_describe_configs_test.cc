// DescribeConfigs through dispatch: which keys are shown, with which value, source and flags.
#include "broker/api/32_describe_configs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "broker/api/test_topic.h"
#include "broker/config/config_key.h"
#include "protocol/messages/32_describe_configs.h"

namespace braid::broker {
namespace {

using protocol::DescribeConfigsRequest;
using protocol::DescribeConfigsResponse;
using protocol::ErrorCode;
using Asked = DescribeConfigsRequest::DescribeConfigsResource;
using Told = DescribeConfigsResponse::DescribeConfigsResult;
using Entry = DescribeConfigsResponse::DescribeConfigsResourceResult;

constexpr std::int8_t kTopic = 2;
constexpr std::int8_t kBroker = 4;
constexpr std::int16_t kLatest = 4;

Asked all_of(std::int8_t type, std::string_view name) { return {type, name, std::nullopt}; }

Told describe(TestNode& node, const Asked& asked, std::int16_t version = kLatest) {
  DescribeConfigsRequest request;
  request.resources = {&asked, 1};
  request.include_synonyms = true;
  request.include_documentation = version >= 3;
  const auto response = node.ask<DescribeConfigsResponse>(request, version);
  EXPECT_EQ(response.results.size(), 1U);
  return response.results[0];
}

const Entry& entry_of(const Told& told, std::string_view name) {
  const auto found = std::ranges::find(told.configs, name, &Entry::name);
  protocol::check(found != told.configs.end(), "the key is shown");
  return *found;
}

/// "source:name=value" of each synonym.
std::string synonyms_of(const Entry& entry) {
  std::string text;
  for (const auto& each : entry.synonyms) {
    if (!text.empty()) text += ' ';
    text += std::to_string(each.source) + ":" + std::string(each.name) + "=" + std::string(each.value.value_or("null"));
  }
  return text;
}

TEST(DescribeConfigs, ShowsEveryKeyOfAnUntouchedTopicWithItsDefault) {
  TestNode node;
  ASSERT_EQ(create_topic(node, "t"), ErrorCode::kNone);
  const Told told = describe(node, all_of(kTopic, "t"));
  EXPECT_EQ(told.error_code, ErrorCode::kNone);
  EXPECT_FALSE(told.error_message);
  std::size_t shown = 0;
  for (const TopicKey& key : topic_keys()) {
    if (key.key.internal) continue;
    ++shown;
    const Entry& entry = entry_of(told, key.key.name);
    EXPECT_EQ(entry.value, key.key.default_value) << key.key.name;
    EXPECT_EQ(entry.config_source, 5) << key.key.name;
    EXPECT_FALSE(entry.read_only) << key.key.name;
    EXPECT_FALSE(entry.is_sensitive) << key.key.name;
  }
  EXPECT_EQ(told.configs.size(), shown);
  EXPECT_TRUE(std::ranges::is_sorted(told.configs, {}, &Entry::name));
}

TEST(DescribeConfigs, ListsSynonymsStrongestFirst) {
  TestNode node({{"log.retention.hours", "2"}, {"log.retention.minutes", "5"}});
  ASSERT_EQ(create_topic(node, "t", 1, {{"retention.ms", " 9000 "}, {"cleanup.policy", "compact"}}), ErrorCode::kNone);
  ASSERT_EQ(create_topic(node, "plain"), ErrorCode::kNone);

  Told told = describe(node, all_of(kTopic, "t"));
  EXPECT_EQ(entry_of(told, "retention.ms").value, "9000") << "stored without the blanks";
  EXPECT_EQ(entry_of(told, "retention.ms").config_source, 1);
  EXPECT_EQ(synonyms_of(entry_of(told, "retention.ms")),
            "1:retention.ms=9000 4:log.retention.minutes=5 4:log.retention.hours=2 5:log.retention.hours=168");
  EXPECT_EQ(synonyms_of(entry_of(told, "cleanup.policy")), "1:cleanup.policy=compact 5:log.cleanup.policy=delete");
  EXPECT_EQ(synonyms_of(entry_of(told, "tag.header")), "");

  told = describe(node, all_of(kTopic, "plain"));
  EXPECT_EQ(entry_of(told, "retention.ms").value, "300000") << "minutes, in the topic's unit";
  EXPECT_EQ(entry_of(told, "retention.ms").config_source, 4);
}

TEST(DescribeConfigs, ShowsOnlyTheKeysThatAreNamedAndExist) {
  TestNode node;
  ASSERT_EQ(create_topic(node, "t"), ErrorCode::kNone);
  const std::array<std::string_view, 3> keys = {"retention.ms", "no.such.key", "segment.bytes"};
  const Told told = describe(node, {kTopic, "t", keys});
  EXPECT_EQ(told.error_code, ErrorCode::kNone);
  ASSERT_EQ(told.configs.size(), 2U);
  EXPECT_EQ(told.configs[0].name, "retention.ms");
  EXPECT_EQ(told.configs[1].name, "segment.bytes");
  EXPECT_EQ(describe(node, {kTopic, "t", std::span<const std::string_view>{}}).configs.size(), 0U);
}

TEST(DescribeConfigs, HasTypesAndDocumentationFromVersion3) {
  TestNode node;
  ASSERT_EQ(create_topic(node, "t"), ErrorCode::kNone);
  for (std::int16_t version = 1; version <= kLatest; ++version) {
    const Told told = describe(node, all_of(kTopic, "t"), version);
    const Entry& entry = entry_of(told, "retention.ms");
    EXPECT_EQ(entry.value, "604800000") << version;
    EXPECT_EQ(synonyms_of(entry), "5:log.retention.hours=168") << version;
    EXPECT_EQ(entry.config_type, version >= 3 ? 5 : 0) << version;
    if (version >= 3) {
      for (const Entry& each : told.configs) EXPECT_GT(each.documentation->size(), 20U) << each.name;
    }
  }
  const std::array<std::pair<std::string_view, int>, 6> types = {{{"preallocate", 1},
                                                                  {"compression.type", 2},
                                                                  {"segment.bytes", 3},
                                                                  {"retention.bytes", 5},
                                                                  {"min.cleanable.dirty.ratio", 6},
                                                                  {"cleanup.policy", 7}}};
  const Told told = describe(node, all_of(kTopic, "t"));
  for (const auto& [key, type] : types) EXPECT_EQ(entry_of(told, key).config_type, type) << key;
}

TEST(DescribeConfigs, LeavesOutSynonymsAndDocumentationThatAreNotAskedFor) {
  TestNode node;
  ASSERT_EQ(create_topic(node, "t"), ErrorCode::kNone);
  const Asked asked = all_of(kTopic, "t");
  DescribeConfigsRequest request;
  request.resources = {&asked, 1};
  const auto response = node.ask<DescribeConfigsResponse>(request, kLatest);
  for (const Entry& entry : response.results[0].configs) {
    EXPECT_TRUE(entry.synonyms.empty()) << entry.name;
    EXPECT_FALSE(entry.documentation) << entry.name;
  }
}

TEST(DescribeConfigs, ShowsEveryKeyOfTheBrokerAndNoSecret) {
  TestNode node({{"ssl.key.password", "s3cret"},
                 {"log.cleanup.policy", "compact"},
                 {"listener.name.external.ssl.keystore.password", "s3cret"}});
  const Told told = describe(node, all_of(kBroker, "1"));
  EXPECT_EQ(told.error_code, ErrorCode::kNone);
  for (const ConfigKey& key : config_keys()) {
    if (key.internal) continue;
    const Entry& entry = entry_of(told, key.name);
    EXPECT_EQ(entry.read_only, key.update_mode == UpdateMode::kReadOnly) << key.name;
    EXPECT_EQ(entry.is_sensitive, key.sensitive) << key.name;
    if (key.sensitive) {
      EXPECT_FALSE(entry.value) << key.name;
    }
    EXPECT_TRUE(entry.documentation->find("Values: ") != std::string_view::npos) << key.name;
  }
  EXPECT_EQ(entry_of(told, "log.cleanup.policy").value, "compact");
  EXPECT_EQ(entry_of(told, "log.cleanup.policy").config_source, 4);
  EXPECT_EQ(synonyms_of(entry_of(told, "log.cleanup.policy")),
            "4:log.cleanup.policy=compact 5:log.cleanup.policy=delete");
  EXPECT_EQ(synonyms_of(entry_of(told, "ssl.key.password")), "4:ssl.key.password=null");
  EXPECT_EQ(entry_of(told, "background.threads").value, "10");
  EXPECT_FALSE(entry_of(told, "background.threads").read_only);
  EXPECT_TRUE(entry_of(told, "listener.name.external.ssl.keystore.password").is_sensitive);
  EXPECT_FALSE(entry_of(told, "listener.name.external.ssl.keystore.password").value);
  EXPECT_TRUE(std::ranges::is_sorted(told.configs, {}, &Entry::name));
}

TEST(DescribeConfigs, ShowsNothingForAllBrokersAsNothingIsSetForThemWhileTheyRun) {
  TestNode node(std::vector<std::pair<std::string, std::string>>{{"log.cleanup.policy", "compact"}});
  const Told told = describe(node, all_of(kBroker, ""));
  EXPECT_EQ(told.error_code, ErrorCode::kNone);
  EXPECT_TRUE(told.configs.empty());
}

struct ResourceCase {
  const char* name;
  std::int8_t type;
  std::string_view resource;
  ErrorCode error;
};

class DescribedResource : public testing::TestWithParam<ResourceCase> {};

TEST_P(DescribedResource, ThatCanNotBeDescribedHasItsOwnError) {
  TestNode node;
  ASSERT_EQ(create_topic(node, "t"), ErrorCode::kNone);
  const std::array<Asked, 2> asked = {all_of(GetParam().type, GetParam().resource), all_of(kTopic, "t")};
  DescribeConfigsRequest request;
  request.resources = asked;
  const auto response = node.ask<DescribeConfigsResponse>(request, kLatest);
  ASSERT_EQ(response.results.size(), 2U);
  EXPECT_EQ(response.results[0].error_code, GetParam().error);
  EXPECT_FALSE(response.results[0].error_message->empty());
  EXPECT_EQ(response.results[0].resource_type, GetParam().type);
  EXPECT_EQ(response.results[0].resource_name, GetParam().resource);
  EXPECT_TRUE(response.results[0].configs.empty());
  EXPECT_EQ(response.results[1].error_code, ErrorCode::kNone) << "one bad resource does not stop the others";
  EXPECT_FALSE(response.results[1].configs.empty());
}

INSTANTIATE_TEST_SUITE_P(Resources, DescribedResource,
                         testing::Values(ResourceCase{"unknown_topic", kTopic, "gone",
                                                      ErrorCode::kUnknownTopicOrPartition},
                                         ResourceCase{"bad_topic", kTopic, "a/b", ErrorCode::kInvalidTopicException},
                                         ResourceCase{"no_topic", kTopic, "", ErrorCode::kInvalidRequest},
                                         ResourceCase{"another_broker", kBroker, "2", ErrorCode::kInvalidRequest},
                                         ResourceCase{"no_broker_id", kBroker, "one", ErrorCode::kInvalidRequest},
                                         ResourceCase{"logger", 8, "1", ErrorCode::kInvalidRequest},
                                         ResourceCase{"client_metrics", 16, "m", ErrorCode::kInvalidRequest},
                                         ResourceCase{"group", 32, "g", ErrorCode::kInvalidRequest},
                                         ResourceCase{"unknown_type", 0, "x", ErrorCode::kInvalidRequest},
                                         ResourceCase{"type_of_no_kind", -7, "x", ErrorCode::kInvalidRequest}),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace braid::broker
