#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/config/topic_key.h"

namespace braid::broker {

/// Where a value comes from, by Kafka's numbers.
enum class ConfigSource : std::int8_t {
  kUnknown = 0,
  kTopic = 1,
  kDynamicBroker = 2,
  kDynamicDefaultBroker = 3,
  kStaticBroker = 4,
  kDefault = 5,
};

/// One key of a topic as it is shown.
struct TopicConfigLine {
  const TopicKey* key = nullptr;
  std::optional<std::string> value;  // none: null
  ConfigSource source = ConfigSource::kDefault;
};

/// Every key that is shown to clients, by name, with the value in force.
std::vector<TopicConfigLine> topic_config_lines(const TopicConfigs& own, const Config& broker);

}  // namespace braid::broker
