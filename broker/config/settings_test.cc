#include "broker/config/settings.h"

#include <gtest/gtest.h>

#include "broker/config/endpoint.h"
#include "protocol/base/clock.h"
#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

Config config_of(const Values& values) {
  ConfigLayers layers;
  for (const auto& [key, value] : values) layers.file.push_back({key, value, ConfigOrigin::kFile, "f:1"});
  LoadedConfig loaded = load_config(std::move(layers));
  EXPECT_TRUE(loaded.problems.empty()) << loaded.problems.front();
  return std::move(loaded.config);
}

DerivedSettings derive(const Values& values) { return derive_settings(config_of(values), "this-host"); }

TEST(Settings, OfAnEmptyConfigurationServeOnKafkasPortByThisHostsName) {
  const DerivedSettings derived = derive({});
  ASSERT_TRUE(derived.problems.empty()) << derived.problems.front();
  ASSERT_EQ(derived.settings.listeners.size(), 1U);
  const ListenerSettings& listener = derived.settings.listeners[0];
  EXPECT_EQ(listener.name, "PLAINTEXT");
  EXPECT_EQ(listener.host, "");
  EXPECT_EQ(listener.port, 9092);
  EXPECT_EQ(listener.advertised_host, "this-host");
  EXPECT_EQ(listener.advertised_port, 0);
  ASSERT_EQ(derived.notices.size(), 1U);
  EXPECT_TRUE(derived.notices[0].warning) << "the host name may not be what clients can reach";
  EXPECT_EQ(derived.settings.node_id, 1);
  EXPECT_EQ(derived.settings.connection.idle_max, std::chrono::minutes(10));
  EXPECT_EQ(derived.settings.connection.frame_bytes_max, 104857600);
}

TEST(Settings, TakeKafkasOwnConfigurationOfACombinedNode) {
  const DerivedSettings derived =
      derive({{"process.roles", "broker,controller"},
              {"node.id", "7"},
              {"controller.quorum.bootstrap.servers", "localhost:9093"},
              {"listeners", "PLAINTEXT://:9092,CONTROLLER://:9093"},
              {"inter.broker.listener.name", "PLAINTEXT"},
              {"advertised.listeners", "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093"},
              {"controller.listener.names", "CONTROLLER"},
              {"listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT"}});
  ASSERT_TRUE(derived.problems.empty()) << derived.problems.front();
  ASSERT_EQ(derived.settings.listeners.size(), 1U);
  EXPECT_EQ(derived.settings.listeners[0].advertised_host, "localhost");
  EXPECT_EQ(derived.settings.listeners[0].advertised_port, 9092);
  EXPECT_EQ(derived.settings.node_id, 7);
  ASSERT_EQ(derived.notices.size(), 2U);
  EXPECT_TRUE(derived.notices[0].warning) << "loopback is told while all addresses are bound";
  EXPECT_FALSE(derived.notices[1].warning) << "the controller's listener is not opened";
}

TEST(Settings, TakeSeveralNamedListeners) {
  const DerivedSettings derived = derive({{"listeners", "Internal://127.0.0.1:0, EXTERNAL://[::1]:19092"},
                                          {"listener.security.protocol.map", "internal:plaintext,EXTERNAL:PLAINTEXT"},
                                          {"advertised.listeners", "EXTERNAL://kafka.example:443"}});
  ASSERT_TRUE(derived.problems.empty()) << derived.problems.front();
  ASSERT_EQ(derived.settings.listeners.size(), 2U);
  EXPECT_EQ(derived.settings.listeners[0].name, "INTERNAL");
  EXPECT_EQ(derived.settings.listeners[0].advertised_host, "127.0.0.1");
  EXPECT_EQ(derived.settings.listeners[1].host, "::1");
  EXPECT_EQ(derived.settings.listeners[1].advertised_host, "kafka.example");
  EXPECT_EQ(derived.settings.listeners[1].advertised_port, 443);
}

TEST(Settings, TakeTheOlderNameOfTheNodesId) {
  EXPECT_EQ(derive({{"broker.id", "4"}}).settings.node_id, 4);
  EXPECT_EQ(derive({{"broker.id", "-1"}}).settings.node_id, 1);
  EXPECT_EQ(derive({{"broker.id", "4"}, {"node.id", "4"}}).problems.size(), 0U);
  EXPECT_EQ(derive({{"broker.id", "4"}, {"node.id", "5"}}).problems.size(), 1U);
}

TEST(Settings, ReadLimitsAndBuffers) {
  const BrokerSettings settings = derive({{"max.connections.per.ip.overrides", "10.0.0.1:5, ::1:7"},
                                          {"socket.send.buffer.bytes", "-1"},
                                          {"connections.max.idle.ms", "-1"}})
                                      .settings;
  EXPECT_EQ(settings.limits.per_address_overrides.at("10.0.0.1"), 5);
  EXPECT_EQ(settings.limits.per_address_overrides.at("::1"), 7);
  EXPECT_EQ(settings.connection.send_buffer_bytes, std::nullopt);
  EXPECT_EQ(settings.connection.receive_buffer_bytes, 102400);
  EXPECT_EQ(settings.connection.idle_max, std::nullopt);
}

TEST(Settings, HoldTheLongestDurationToWhatAClockCanAdd) {
  const BrokerSettings settings = derive({{"connections.max.idle.ms", "9223372036854775807"},
                                          {"connections.first.request.max.ms", "9223372036854775807"}})
                                      .settings;
  const protocol::Instant now = protocol::Instant{} + std::chrono::hours(24);
  EXPECT_GT(now + *settings.connection.idle_max, now);
  EXPECT_GT(now + settings.connection.first_request_max, now);
}

struct RefusedCase {
  const char* name;
  Values values;
  std::string_view says;
};
class Refused : public testing::TestWithParam<RefusedCase> {};

TEST_P(Refused, StopsTheStartAndSaysWhy) {
  const DerivedSettings derived = derive(GetParam().values);
  ASSERT_EQ(derived.problems.size(), 1U);
  EXPECT_NE(derived.problems[0].find(GetParam().says), std::string::npos) << derived.problems[0];
}

INSTANTIATE_TEST_SUITE_P(
    Settings, Refused,
    testing::Values(
        RefusedCase{"tls_listener", {{"listeners", "SSL://:9093"}}, "not opened unprotected"},
        RefusedCase{
            "sasl_by_map", {{"listeners", "A://:9093"}, {"listener.security.protocol.map", "A:SASL_SSL"}}, "SASL_SSL"},
        RefusedCase{"authorizer",
                    {{"authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}},
                    "unsafe"},
        RefusedCase{"policy", {{"create.topic.policy.class.name", "x.Y"}}, "unsafe"},
        RefusedCase{"principals", {{"principal.builder.class", "x.Y"}}, "unsafe"},
        RefusedCase{"providers", {{"config.providers", "file"}}, "unsafe"},
        RefusedCase{"principals_of_a_listener", {{"listener.name.a.principal.builder.class", "x.Y"}}, "unsafe"},
        RefusedCase{
            "policy_of_a_mechanism", {{"listener.name.a.plain.alter.config.policy.class.name", "x.Y"}}, "unsafe"},
        RefusedCase{"controller_only", {{"process.roles", "controller"}}, "must contain broker"},
        RefusedCase{"no_endpoint", {{"listeners", "localhost:9092"}}, "NAME://HOST:PORT"},
        RefusedCase{"port_too_large", {{"listeners", "PLAINTEXT://:65536"}}, "NAME://HOST:PORT"},
        RefusedCase{"name_twice", {{"listeners", "PLAINTEXT://:1,plaintext://:2"}}, "PLAINTEXT twice"},
        RefusedCase{"no_protocol", {{"listeners", "A://:1"}}, "listeners=A://:1 (f:1): the listener A has no protocol"},
        RefusedCase{"bad_map", {{"listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,B"}}, "LISTENER:PROTOCOL"},
        RefusedCase{"advertised_stranger", {{"advertised.listeners", "X://h:1"}}, "not among listeners"},
        RefusedCase{
            "advertised_wildcard", {{"advertised.listeners", "PLAINTEXT://0.0.0.0:1"}}, "no client can connect"},
        RefusedCase{"only_controllers", {{"controller.listener.names", "PLAINTEXT"}}, "no listener for clients"},
        RefusedCase{"bad_override", {{"max.connections.per.ip.overrides", "a"}}, "ADDRESS:COUNT"},
        RefusedCase{"bad_buffer", {{"socket.send.buffer.bytes", "0"}}, "-1 or at least 1"}),
    [](const auto& given) { return given.param.name; });

TEST_P(Refused, NamesTheKeyWithItsValueAndPlace) {
  const DerivedSettings derived = derive(GetParam().values);
  ASSERT_EQ(derived.problems.size(), 1U);
  const std::string& problem = derived.problems[0];
  EXPECT_LT(problem.find('='), problem.find(" (")) << problem;
  EXPECT_TRUE(problem.find(" (f:1): ") != std::string::npos || problem.find(" (the default): ") != std::string::npos)
      << problem;
}

TEST(Settings, RefuseEveryKeyOfAMissingFeatureForOneListenerToo) {
  int refused = 0;
  for (const ConfigKey& key : config_keys()) {
    if (key.effect != Effect::kRefused) continue;
    ++refused;
    for (const std::string prefix : {"", "listener.name.internal.", "listener.name.internal.scram-sha-256."}) {
      EXPECT_EQ(derive({{prefix + std::string(key.name), "x.Y"}}).problems.size(), 1U) << prefix << key.name;
      const std::string by_default(key.default_value.value_or(""));
      EXPECT_EQ(derive({{prefix + std::string(key.name), by_default}}).problems.size(), 0U) << prefix << key.name;
    }
  }
  EXPECT_GE(refused, 7);
}

TEST(Settings, ShowNoMoreThanTheBeginOfALongName) {
  const std::string huge(2000, 'N');
  std::string same = huge + "://:1";
  std::string broken = "x";
  for (int i = 0; i < 1000; ++i) {
    same += "," + huge + "://:" + std::to_string(i + 2);
    broken += ",x" + std::to_string(i);
  }
  for (const Values& values :
       {Values{{"listeners", huge + "://:1"}}, Values{{"listeners", same}}, Values{{"listeners", broken}},
        Values{{"listener.security.protocol.map", same}}, Values{{"advertised.listeners", huge + "://h:1"}},
        Values{{"listeners", huge + "://:1"}, {"listener.security.protocol.map", huge + ":SSL"}},
        Values{{"listeners", huge + "://:1"},
               {"listener.security.protocol.map", huge + ":PLAINTEXT"},
               {"advertised.listeners", huge + "://0.0.0.0:1"}},
        Values{{"max.connections.per.ip.overrides", huge}}, Values{{"process.roles", "controller"}}}) {
    const DerivedSettings derived = derive(values);
    ASSERT_FALSE(derived.problems.empty()) << values.front().first;
    EXPECT_LE(derived.problems.size(), protocol::kConfigProblemsMax);
    for (const std::string& problem : derived.problems) EXPECT_LT(problem.size(), 1500U) << problem;
  }
}

TEST(Settings, ShowNoMoreThanTheBeginOfALongNameInNotices) {
  const std::string huge(20'000, 'N');
  for (const Values& more : {Values{}, Values{{"advertised.listeners", huge + "://localhost:1"}},
                             Values{{"controller.listener.names", huge}}}) {
    Values values = {{"listeners", huge + "://:1,M://h:1"},
                     {"listener.security.protocol.map", huge + ":PLAINTEXT,M:PLAINTEXT"}};
    values.insert(values.end(), more.begin(), more.end());
    const DerivedSettings derived = derive(values);
    ASSERT_TRUE(derived.problems.empty()) << derived.problems.front();
    ASSERT_EQ(derived.notices.size(), 1U);
    EXPECT_LT(derived.notices[0].text.size(), 500U) << derived.notices[0].text;
  }
}

TEST(Settings, ThatNameWhatKafkaHasByDefaultAreNotRefused) {
  EXPECT_TRUE(derive({{"authorizer.class.name", ""},
                      {"principal.builder.class",
                       "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder"}})
                  .problems.empty());
}

TEST(Endpoints, AreWildcardsInWhateverWayTheyAreWritten) {
  for (const std::string_view host :
       {"", "0", "0.0.0.0", "00.0.0.0", "0.0", "::", "::0", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0", "::%lo"})
    EXPECT_TRUE(is_wildcard(host)) << host;
  for (const std::string_view host : {"127.0.0.1", "::1", "10.0.0.0", "h", "0.example", "::ffff:127.0.0.1"})
    EXPECT_FALSE(is_wildcard(host)) << host;
}

TEST(Endpoints, AreShownWithBracketsWhereNeeded) {
  EXPECT_EQ(host_and_port("::1", 9092), "[::1]:9092");
  EXPECT_EQ(host_and_port("h", 1), "h:1");
  for (const std::string_view text :
       {"", "A", "A://", "A://h", "://h:1", "A://h:x", "A://h:-1", "A://[::1:1", "A://a b:1"})
    EXPECT_FALSE(parse_endpoint(text)) << text;
}

}  // namespace
}  // namespace braid::broker
