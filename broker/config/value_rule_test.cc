#include "broker/config/value_rule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "broker/config/value.h"

namespace braid::broker {
namespace {

bool accepts(const ConfigKey& key, std::string_view value) { return !objection(key, value); }

bool is_number(const ConfigKey& key) {
  return key.type == ConfigType::kShort || key.type == ConfigType::kInt || key.type == ConfigType::kLong ||
         key.type == ConfigType::kDouble;
}

std::string as_value(double number) {
  return number == std::floor(number) ? std::to_string(static_cast<std::int64_t>(number)) : std::to_string(number);
}

TEST(KeyTable, IsSortedAndEveryRuleCanBeRead) {
  std::string_view last;
  for (const ConfigKey& key : config_keys()) {
    EXPECT_LT(last, key.name);
    last = key.name;
    EXPECT_TRUE(parse_value_rule(key.rule)) << key.name << ": " << key.rule;
    EXPECT_EQ(find_config_key(key.name), &key);
  }
  EXPECT_GT(config_keys().size(), 380U);
}

TEST(KeyTable, AcceptsEveryDefault) {
  for (const ConfigKey& key : config_keys()) {
    if (key.default_value) {
      EXPECT_TRUE(accepts(key, *key.default_value)) << key.name << "=" << *key.default_value;
    }
  }
}

TEST(KeyTable, RefusesWhatIsBelowOrAboveEachRange) {
  int ranges = 0;
  for (const ConfigKey& key : config_keys()) {
    if (!is_number(key)) continue;
    const ValueRule rule = *parse_value_rule(key.rule);
    if (rule.least) {
      ++ranges;
      EXPECT_TRUE(accepts(key, as_value(*rule.least))) << key.name;
      if (rule.or_exactly != *rule.least - 1) {
        EXPECT_FALSE(accepts(key, as_value(*rule.least - 1))) << key.name;
      }
    }
    if (rule.greatest) {
      EXPECT_TRUE(accepts(key, as_value(*rule.greatest))) << key.name;
      EXPECT_FALSE(accepts(key, as_value(*rule.greatest + 1))) << key.name;
    }
    if (rule.or_exactly) {
      EXPECT_TRUE(accepts(key, as_value(*rule.or_exactly))) << key.name;
    }
  }
  EXPECT_GT(ranges, 190);
}

TEST(KeyTable, RefusesWhatIsNotOfEachType) {
  for (const ConfigKey& key : config_keys()) {
    if (is_number(key)) {
      for (const std::string_view value : {"", "x", "1x", "+-1", "--1", "0x10", "nan", "inf"})
        EXPECT_FALSE(accepts(key, value)) << key.name << "=" << value;
    }
    if (is_number(key) && key.type != ConfigType::kDouble) {
      EXPECT_FALSE(accepts(key, "1.5")) << key.name;
    }
    if (key.type == ConfigType::kInt) {
      EXPECT_FALSE(accepts(key, "2147483648")) << key.name;
    }
    if (key.type == ConfigType::kShort) {
      EXPECT_FALSE(accepts(key, "32768")) << key.name;
    }
    if (key.type == ConfigType::kLong) {
      EXPECT_FALSE(accepts(key, "9223372036854775808")) << key.name;
    }
    if (key.type == ConfigType::kBoolean) {
      EXPECT_TRUE(accepts(key, "True")) << key.name;
      EXPECT_FALSE(accepts(key, "yes")) << key.name;
    }
  }
}

TEST(KeyTable, RefusesWhatIsNotAmongNamedValues) {
  int named = 0;
  for (const ConfigKey& key : config_keys()) {
    const ValueRule rule = *parse_value_rule(key.rule);
    if (rule.one_of.empty()) continue;
    ++named;
    for (const std::string_view value : rule.one_of) EXPECT_TRUE(accepts(key, value)) << key.name << "=" << value;
    EXPECT_FALSE(accepts(key, "no_such_value")) << key.name;
  }
  EXPECT_GE(named, 10);
}

struct RuleCase {
  const char* name;
  ConfigType type;
  std::string_view rule;
  std::string_view good;
  std::string_view bad;
};
class Rule : public testing::TestWithParam<RuleCase> {};

TEST_P(Rule, DividesGoodFromBad) {
  const RuleCase& given = GetParam();
  const ConfigKey key{"k",   given.type, "",   given.rule, Importance::kLow, UpdateMode::kReadOnly, Effect::kNone,
                      false, false,      true, {}};
  EXPECT_EQ(objection(key, given.good), std::nullopt);
  EXPECT_NE(objection(key, given.bad), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(
    Notations, Rule,
    testing::Values(
        RuleCase{"open_range", ConfigType::kInt, "[1,...]", "2147483647", "0"},
        RuleCase{"closed_range", ConfigType::kInt, "[-5,...,9]", "-5", "10"},
        RuleCase{"or_one_more", ConfigType::kInt, "[1,...,9] or -1", "-1", "0"},
        RuleCase{"fraction", ConfigType::kDouble, "[0,...,0.5]", "0.5", "0.51"},
        RuleCase{"one_of", ConfigType::kString, "[a, b]", "b", "A"},
        RuleCase{"one_of_any_case", ConfigType::kString, "(case insensitive) [Aa, B]", "aA", "c"},
        RuleCase{"twice", ConfigType::kList, "list of any; no duplicates; empty=y; null=n", "a, b", "a,b ,a"},
        RuleCase{"empty_list", ConfigType::kList, "list of any; no duplicates; empty=n; null=y", "a", ""},
        RuleCase{"empty_item", ConfigType::kList, "list of any; no duplicates; empty=y; null=n", "", "a,,b"},
        RuleCase{"list_of_named", ConfigType::kList, "list of [a, b]; no duplicates; empty=y; null=n", "b,a", "c"},
        RuleCase{"text", ConfigType::kString, "non-empty string", "x", ""}),
    [](const auto& given) { return given.param.name; });

struct WordsCase {
  const char* name;
  ConfigType type;
  std::string_view rule;
  std::string_view words;
};
class RuleWords : public testing::TestWithParam<WordsCase> {};

TEST_P(RuleWords, SayWhatIsAllowed) {
  const WordsCase& given = GetParam();
  const ConfigKey key{"k",   given.type, "",   given.rule, Importance::kLow, UpdateMode::kReadOnly, Effect::kNone,
                      false, false,      true, {}};
  EXPECT_EQ(allowed_values(key), given.words);
}

INSTANTIATE_TEST_SUITE_P(
    Notations, RuleWords,
    testing::Values(
        WordsCase{"any_text", ConfigType::kString, "", "a text"},
        WordsCase{"text", ConfigType::kString, "non-empty string", "a text that is not empty"},
        WordsCase{"open_range", ConfigType::kInt, "[1,...]", "a whole number of 32 bits, at least 1"},
        WordsCase{"closed_range", ConfigType::kInt, "[-131072,...,1000000]",
                  "a whole number of 32 bits from -131072 to 1000000"},
        WordsCase{"or_one_more", ConfigType::kInt, "[1,...,9] or -1", "a whole number of 32 bits from 1 to 9, or -1"},
        WordsCase{"fraction", ConfigType::kDouble, "[0,...,0.5]", "a number from 0 to 0.5"},
        WordsCase{"boolean", ConfigType::kBoolean, "", "true or false"},
        WordsCase{"one_of", ConfigType::kString, "[a, b, c]", "a, b or c"},
        WordsCase{"one_of_any_case", ConfigType::kString, "(case insensitive) [a, b]", "a or b, in any case"},
        WordsCase{"list", ConfigType::kList, "list of any; no duplicates; empty=n; null=y",
                  "items separated by commas, at least one, none twice"},
        WordsCase{"list_of_named", ConfigType::kList, "list of [a, b]; no duplicates; empty=y; null=n",
                  "items separated by commas, of a and b, none twice"},
        WordsCase{"replicas", ConfigType::kList, "[partitionId]:[brokerId],[partitionId]:[brokerId],...",
                  "items separated by commas, each partition:broker, or only *"}),
    [](const auto& given) { return given.param.name; });

TEST(KeyTable, SaysInWordsWhatEachKeyAllows) {
  for (const ConfigKey& key : config_keys())
    EXPECT_EQ(allowed_values(key).find_first_of("[];="), std::string::npos) << key.name << ": " << allowed_values(key);
}

TEST(RuleNotation, ThatIsUnknownIsNotGuessed) {
  for (const std::string_view notation : {"[1,...", "1,...]", "[1,...,x]", "[1,...] or x", "[1,...] and more",
                                          "[a, b] or c", "list of any", "list of any; empty=y; null=maybe", "anything"})
    EXPECT_FALSE(parse_value_rule(notation)) << notation;
}

}  // namespace
}  // namespace braid::broker
