#include "broker/config/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "broker/config/config_text.h"
#include "broker/config/environment.h"

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
  EXPECT_EQ(loaded.problems[0], "flush.mode=maybe (f:1): not one of the known values; allowed: a text, [sync, async]");
  EXPECT_EQ(loaded.problems[1], "num.partitions=0 (f:1): too small; allowed: a whole number of 32 bits, [1,...]");
}

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
