#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "broker/config/config.h"
#include "broker/config/config_key.h"

namespace braid::broker {

/// A configuration key of a topic, as a row of the generated table.
struct TopicKey {
  ConfigKey key;
  /// The broker's keys that stand in where the topic has no value, the first that is given: "log.retention.ms >
  /// log.retention.minutes(x60000)"; empty: none.
  std::string_view synonyms;
};

/// All of them, sorted by name. Any thread.
std::span<const TopicKey> topic_keys();
/// Null when there is none of exactly this name.
const TopicKey* find_topic_key(std::string_view name);

/// What a topic says itself, by key.
using TopicConfigs = std::map<std::string, std::string, std::less<>>;

/// Where a value in force comes from.
enum class ValueSource { kTopic, kBroker, kDefault };

struct ValueInForce {
  std::optional<std::string> value;  // none: null
  ValueSource source = ValueSource::kDefault;
};

/// One of a topic key's broker-side synonyms; its number is multiplied by `factor`.
struct BrokerSynonym {
  std::string_view key;
  std::int64_t factor = 1;
};
/// The next one, taken off `synonyms`; none at the end.
std::optional<BrokerSynonym> next_synonym(std::string_view& synonyms);

/// The value that a broker gives by this synonym, in the topic key's unit; nothing when the key is not given and has no
/// default (then null).
std::optional<std::string> synonym_value(const BrokerSynonym& synonym, const Config& broker);

/// The topic's own value, else what the broker's configuration says for all topics, else the default.
ValueInForce value_in_force(const TopicKey& key, const TopicConfigs& own, const Config& broker);

}  // namespace braid::broker
