#include "broker/config/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "broker/config/config_text.h"
#include "broker/config/environment.h"
#include "broker/config/excerpt.h"
#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

ConfigEntry in_file(std::string key, std::string value) {
  return {std::move(key), std::move(value), ConfigOrigin::kFile, "f:1"};
}
ConfigEntry by_override(std::string key, std::string value) {
  return {std::move(key), std::move(value), ConfigOrigin::kCommandLine, "--override"};
}
ConfigLayers only_file(std::vector<ConfigEntry> entries) { return {std::move(entries), {}, {}}; }

TEST(Config, TakesTheLaterSource) {
  const std::array<std::string_view, 2> variables = {"KAFKA_NUM_PARTITIONS=3", "KAFKA_NUM_IO_THREADS=3"};
  ConfigLayers layers;
  layers.file = {in_file("num.partitions", "2"), in_file("num.io.threads", "2"), in_file("num.network.threads", "2")};
  layers.environment = environment_entries(variables);
  layers.command_line = {by_override("num.partitions", "4"), by_override("num.partitions", "5")};
  const LoadedConfig loaded = load_config(std::move(layers));
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.config.integer("num.partitions"), 5);
  EXPECT_EQ(loaded.config.integer("num.io.threads"), 3);
  EXPECT_EQ(loaded.config.integer("num.network.threads"), 2);
  EXPECT_EQ(loaded.config.integer("background.threads"), 10) << "the default";
  EXPECT_EQ(loaded.config.entries().at("num.io.threads").where, "KAFKA_NUM_IO_THREADS");
}

TEST(Config, TakesTheLastOfARepeatedKeyAndTrimsValues) {
  const LoadedConfig loaded =
      load_config(only_file({in_file("num.partitions", "2"), in_file("num.partitions", " 7\t")}));
  EXPECT_EQ(loaded.config.integer("num.partitions"), 7);
}

TEST(Config, WarnsOnceOfAnUnknownKeyAndGoesOn) {
  const LoadedConfig loaded = load_config(only_file({in_file("no.such.key", "1"), in_file("no.such.key", "2")}));
  EXPECT_TRUE(loaded.problems.empty());
  ASSERT_EQ(loaded.notices.size(), 1U);
  EXPECT_TRUE(loaded.notices[0].warning);
  EXPECT_EQ(loaded.notices[0].key, "no.such.key");
}

TEST(Config, SaysOfAKnownKeyThatItHasNoEffect) {
  const LoadedConfig loaded =
      load_config(only_file({in_file("log.cleaner.threads", "2"), in_file("listeners", "PLAINTEXT://:1")}));
  ASSERT_EQ(loaded.notices.size(), 1U);
  EXPECT_FALSE(loaded.notices[0].warning);
  EXPECT_EQ(loaded.notices[0].key, "log.cleaner.threads");
}

TEST(Config, NamesKeyValuePlaceAndRangeOfEveryBadValue) {
  const LoadedConfig loaded = load_config(only_file({in_file("num.partitions", "0"), in_file("flush.mode", "maybe")}));
  ASSERT_EQ(loaded.problems.size(), 2U);
  EXPECT_EQ(loaded.problems[0], "flush.mode=maybe (f:1): not one of the known values; allowed: sync or async");
  EXPECT_EQ(loaded.problems[1], "num.partitions=0 (f:1): too small; allowed: a whole number of 32 bits, at least 1");
}

TEST(Config, SaysOfAValueWithoutAKeyThatItIsIgnored) {
  const LoadedConfig loaded = load_config(only_file({in_file("", "5")}));
  ASSERT_EQ(loaded.notices.size(), 1U);
  EXPECT_TRUE(loaded.notices[0].warning);
  EXPECT_EQ(loaded.notices[0].key + " " + loaded.notices[0].text, "a value without a key is ignored (f:1)");
  EXPECT_TRUE(loaded.config.entries().empty());
}

TEST(Config, ShowsNoMoreThanTheBeginOfALongText) {
  const std::string huge(1'000'000, 'x');
  const std::string huge_list = "a," + huge + "," + huge;
  std::vector<ConfigEntry> entries = {in_file(huge, "1"), in_file("listener.name." + huge + ".max.connections", "-1"),
                                      in_file("listener.name." + huge + "x.num.partitions", "1")};
  for (const ConfigKey& key : config_keys()) entries.push_back(in_file(std::string(key.name), huge_list));
  const LoadedConfig loaded = load_config(only_file(std::move(entries)));
  EXPECT_EQ(loaded.problems.size(), protocol::kConfigProblemsMax);
  EXPECT_GT(loaded.problems.left_out(), 50U);
  constexpr std::size_t kMessageBytesMax = 1000;
  for (const std::string& problem : loaded.problems) EXPECT_LT(problem.size(), kMessageBytesMax) << problem;
  for (const ConfigNotice& notice : loaded.notices)
    EXPECT_LT(notice.key.size() + notice.text.size(), kMessageBytesMax) << notice.key;
}

TEST(Config, ListsTheFirstOfManyNoticesAndCountsTheOthers) {
  std::vector<ConfigEntry> entries;
  for (int i = 0; i < 150'000; ++i) entries.push_back(in_file("no.such.key." + std::to_string(i), "1"));
  const LoadedConfig loaded = load_config(only_file(std::move(entries)));
  EXPECT_EQ(loaded.notices.size(), protocol::kConfigNoticesMax);
  EXPECT_EQ(loaded.notices.size() + loaded.notices.left_out(), 150'000U);
}

struct ExcerptCase {
  const char* name;
  std::string text;
  std::string shown;
};
class Excerpt : public testing::TestWithParam<ExcerptCase> {};

TEST_P(Excerpt, IsTheBeginOfALongTextAndItsSize) { EXPECT_EQ(excerpt(GetParam().text), GetParam().shown); }

INSTANTIATE_TEST_SUITE_P(
    Texts, Excerpt,
    testing::Values(
        ExcerptCase{"empty", "", ""}, ExcerptCase{"longest_whole", std::string(200, 'x'), std::string(200, 'x')},
        ExcerptCase{"longer", std::string(201, 'x'), std::string(200, 'x') + "… (201 bytes)"},
        ExcerptCase{"no_half_character", std::string(199, 'x') + "\xC3\xA9", std::string(199, 'x') + "… (201 bytes)"},
        ExcerptCase{"no_quarter_character", std::string(197, 'x') + "\xF0\x9F\x98\x80",
                    std::string(197, 'x') + "… (201 bytes)"},
        ExcerptCase{"no_text_at_all", std::string(201, '\x80'), std::string(197, '\x80') + "… (201 bytes)"}),
    [](const auto& given) { return given.param.name; });

TEST(Config, KnowsKeysOfOneListener) {
  const LoadedConfig loaded =
      load_config(only_file({in_file("listener.name.internal.max.connections", "5"),
                             in_file("listener.name.ext.scram-sha-256.sasl.jaas.config", "secret"),
                             in_file("listener.name.ext.ssl.client.auth", "sometimes"),
                             in_file("listener.name.ext.no.such.key", "1"), in_file("listener.name.ext", "1")}));
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_NE(loaded.problems[0].find("ssl.client.auth=sometimes"), std::string::npos);
  EXPECT_EQ(std::ranges::count_if(loaded.notices, &ConfigNotice::warning), 2);
}

TEST(ConfigText, ShowsValueAndSourceButNoSecret) {
  const LoadedConfig loaded = load_config(
      only_file({in_file("ssl.key.password", "hush"), in_file("listener.name.a.ssl.key.password", "hush"),
                 in_file("no.such", "hush"), in_file("num.partitions", "3"), in_file("broker.rack", "a\tb\\")}));
  const std::string text = config_as_text(loaded.config);
  EXPECT_EQ(text.find("hush"), std::string::npos);
  EXPECT_NE(text.find("\nnum.partitions\t3\tfile f:1\n"), std::string::npos);
  EXPECT_NE(text.find("\nbroker.rack\ta\\tb\\\\\tfile f:1\n"), std::string::npos);
  EXPECT_NE(text.find("\nssl.key.password\t[hidden]\tfile f:1\n"), std::string::npos);
  EXPECT_NE(text.find("\nssl.keystore.key\tnull\tdefault\n"), std::string::npos);
  const std::string json = config_as_json(loaded.config);
  EXPECT_EQ(json.find("hush"), std::string::npos);
  EXPECT_NE(json.find(R"("num.partitions":{"value":"3","source":"file","where":"f:1","type":"int"})"),
            std::string::npos);
  EXPECT_NE(json.find(R"("ssl.keystore.key":{"value":null,"source":"default","type":"password"})"), std::string::npos);
}

TEST(ConfigText, HidesASecretInAProblemToo) {
  EXPECT_EQ(problem_text({"ssl.key.password", "hush", ConfigOrigin::kFile, ""}, "bad").find("hush"), std::string::npos);
}

}  // namespace
}  // namespace braid::broker
