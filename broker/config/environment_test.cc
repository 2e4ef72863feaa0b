#include "broker/config/environment.h"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <string>

#include "broker/config/config_key.h"

namespace braid::broker {
namespace {

/// The variable that an image's user would set for `key`.
std::string variable_of_key(std::string_view key) {
  std::string variable = "KAFKA_";
  for (const char c : key) {
    if (c == '.') {
      variable += "_";
    } else if (c == '_') {
      variable += "__";
    } else if (c == '-') {
      variable += "___";
    } else {
      variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return variable;
}

struct NameCase {
  std::string_view variable;
  std::string_view key;
};

TEST(EnvironmentNames, FollowTheRuleOfKafkasImages) {
  for (const NameCase& given : {NameCase{"KAFKA_NODE_ID", "node.id"}, NameCase{"KAFKA_LISTENERS", "listeners"},
                                NameCase{"KAFKA_LISTENER_NAME_SASL__PLAINTEXT_SSL_KEY_PASSWORD",
                                         "listener.name.sasl_plaintext.ssl.key.password"},
                                NameCase{"KAFKA_A___B", "a-b"}, NameCase{"KAFKA_A____B", "a-.b"},
                                NameCase{"KAFKA_A_____B", "a-_b"}, NameCase{"CLUSTER_ID", "cluster.id"}}) {
    const auto key = key_of_variable(given.variable);
    ASSERT_TRUE(key) << given.variable;
    EXPECT_EQ(*key, given.key);
  }
}

TEST(EnvironmentNames, OfStartScriptsSetNothing) {
  for (const std::string_view variable :
       {"KAFKA_HEAP_OPTS", "KAFKA_OPTS", "KAFKA_JMX_PORT", "KAFKA_", "PATH", "kafka_node_id"})
    EXPECT_FALSE(key_of_variable(variable)) << variable;
}

TEST(EnvironmentNames, AreShownByTheirBeginWhenTheyAreLong) {
  const std::string variable = "KAFKA_" + std::string(100'000, 'X') + "=1";
  const std::array<std::string_view, 1> variables = {variable};
  const auto entries = environment_entries(variables);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_LT(entries[0].where.size(), 300U);
}

TEST(EnvironmentNames, LeadEachKeyToItselfAgain) {
  for (const ConfigKey& key : config_keys()) EXPECT_EQ(key_of_variable(variable_of_key(key.name)), key.name);
}

}  // namespace
}  // namespace braid::broker
