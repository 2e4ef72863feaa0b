#include "broker/config/topic_key.h"

#include <algorithm>

#include "broker/config/value.h"
#include "protocol/base/check.h"

namespace braid::broker {

const TopicKey* find_topic_key(std::string_view name) {
  const auto keys = topic_keys();
  const auto found = std::ranges::lower_bound(keys, name, {}, [](const TopicKey& each) { return each.key.name; });
  return found != keys.end() && found->key.name == name ? &*found : nullptr;
}

std::optional<BrokerSynonym> next_synonym(std::string_view& synonyms) {
  if (synonyms.empty()) return std::nullopt;
  constexpr std::string_view kBetween = " > ";
  const std::size_t end = synonyms.find(kBetween);
  std::string_view one = synonyms.substr(0, end);
  synonyms = end == std::string_view::npos ? std::string_view{} : synonyms.substr(end + kBetween.size());

  constexpr std::string_view kFactor = "(x";
  const std::size_t open = one.find(kFactor);
  if (open == std::string_view::npos) return BrokerSynonym{one, 1};
  const auto factor = parse_integer(one.substr(open + kFactor.size(), one.size() - open - kFactor.size() - 1));
  protocol::check(factor.has_value(), "a factor in the table of topic keys is a number");
  return BrokerSynonym{one.substr(0, open), *factor};
}

std::optional<std::string> synonym_value(const BrokerSynonym& synonym, const Config& broker) {
  const std::optional<std::string_view> value = broker.value(synonym.key);
  if (!value) return std::nullopt;
  if (synonym.factor == 1) return std::string(*value);
  const std::optional<std::int64_t> number = parse_integer(*value);
  protocol::check(number.has_value(), "a key with a factor holds a number");
  return std::to_string(*number < 0 ? *number : *number * synonym.factor);
}

ValueInForce value_in_force(const TopicKey& key, const TopicConfigs& own, const Config& broker) {
  if (const auto given = own.find(key.key.name); given != own.end()) return {given->second, ValueSource::kTopic};
  std::string_view rest = key.synonyms;
  while (const auto synonym = next_synonym(rest)) {
    if (broker.given(synonym->key)) return {synonym_value(*synonym, broker), ValueSource::kBroker};
  }
  if (!key.key.default_value) return {};
  return {std::string(*key.key.default_value), ValueSource::kDefault};
}

}  // namespace braid::broker
