#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/api/topic_config_lines.h"
#include "broker/config/topic_key.h"

namespace braid::broker {

/// One place that gives a key a value.
struct ConfigSynonym {
  std::string name;
  std::optional<std::string> value;  // none: null
  ConfigSource source = ConfigSource::kDefault;
};

/// One key of a resource as DescribeConfigs shows it.
struct ConfigLine {
  std::string name;
  const ConfigKey* key = nullptr;
  std::optional<std::string> value;  // none: null, or not to be shown
  ConfigSource source = ConfigSource::kDefault;
  bool read_only = false;
  std::vector<ConfigSynonym> synonyms;  // strongest first; they begin with the value in force
};

/// Every key that is shown of a topic, by name.
std::vector<ConfigLine> lines_of_topic(const TopicConfigs& own, const Config& broker);
/// Every key that is shown of a broker, by name, and what was given for single listeners.
std::vector<ConfigLine> lines_of_broker(const Config& broker);

/// What a key does and which values it takes, for a person.
std::string documentation_of(const ConfigKey& key);
/// A value's type by Kafka's numbers.
std::int8_t type_number(ConfigType type);

}  // namespace braid::broker
