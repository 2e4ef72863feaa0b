#include "broker/api/config_lines.h"

#include <algorithm>
#include <utility>

#include "broker/config/value_rule.h"

namespace braid::broker {
namespace {

std::optional<std::string> shown(const ConfigKey& key, std::optional<std::string_view> value) {
  if (key.sensitive || !value) return std::nullopt;
  return std::string(*value);
}

/// What the configuration says for `names`, in their order, before what it says by default.
void add_broker_synonyms(const std::vector<const ConfigKey*>& names, const Config& broker,
                         std::vector<ConfigSynonym>& synonyms) {
  for (const ConfigKey* key : names) {
    if (broker.given(key->name))
      synonyms.push_back({std::string(key->name), shown(*key, broker.value(key->name)), ConfigSource::kStaticBroker});
  }
  for (const ConfigKey* key : names) {
    if (key->default_value)
      synonyms.push_back({std::string(key->name), shown(*key, key->default_value), ConfigSource::kDefault});
  }
}

ConfigLine line_of_topic(const TopicKey& key, const TopicConfigs& own, const Config& broker) {
  ConfigLine line;
  line.name = key.key.name;
  line.key = &key.key;
  line.value = value_in_force(key, own, broker).value;
  if (const auto given = own.find(key.key.name); given != own.end())
    line.synonyms.push_back({line.name, given->second, ConfigSource::kTopic});
  std::vector<const ConfigKey*> names;
  std::string_view rest = key.synonyms;
  while (const auto synonym = next_synonym(rest)) names.push_back(find_config_key(synonym->key));
  add_broker_synonyms(names, broker, line.synonyms);
  if (!line.synonyms.empty()) line.source = line.synonyms.front().source;
  return line;
}

ConfigLine line_of_broker(const ConfigKey& key, const Config& broker) {
  ConfigLine line;
  line.name = key.name;
  line.key = &key;
  line.value = shown(key, broker.value(key.name));
  line.read_only = key.update_mode == UpdateMode::kReadOnly;
  add_broker_synonyms({&key}, broker, line.synonyms);
  if (!line.synonyms.empty()) line.source = line.synonyms.front().source;
  return line;
}

/// listener.name.NAME.KEY, which has no row of its own among the keys.
ConfigLine line_of_listener(const ConfigEntry& entry, const ConfigKey& key) {
  ConfigLine line;
  line.name = entry.key;
  line.key = &key;
  line.value = shown(key, entry.value);
  line.source = ConfigSource::kStaticBroker;
  line.read_only = key.update_mode == UpdateMode::kReadOnly;
  line.synonyms.push_back({line.name, line.value, ConfigSource::kStaticBroker});
  return line;
}

}  // namespace

std::vector<ConfigLine> lines_of_topic(const TopicConfigs& own, const Config& broker) {
  std::vector<ConfigLine> lines;
  for (const TopicKey& key : topic_keys()) {
    if (!key.key.internal || own.contains(key.key.name)) lines.push_back(line_of_topic(key, own, broker));
  }
  return lines;
}

std::vector<ConfigLine> lines_of_broker(const Config& broker) {
  std::vector<ConfigLine> lines;
  for (const ConfigKey& key : config_keys()) {
    if (!key.internal || broker.given(key.name)) lines.push_back(line_of_broker(key, broker));
  }
  for (const auto& [name, entry] : broker.entries()) {
    const KnownSetting setting = find_setting(name);
    if (setting.for_one_listener) lines.push_back(line_of_listener(entry, *setting.key));
  }
  std::ranges::sort(lines, {}, &ConfigLine::name);
  return lines;
}

std::string documentation_of(const ConfigKey& key) {
  return std::string(key.about) + ". Values: " + allowed_values(key) + ".";
}

std::int8_t type_number(ConfigType type) {
  switch (type) {
    case ConfigType::kBoolean:
      return 1;
    case ConfigType::kString:
      return 2;
    case ConfigType::kInt:
      return 3;
    case ConfigType::kShort:
      return 4;
    case ConfigType::kLong:
      return 5;
    case ConfigType::kDouble:
      return 6;
    case ConfigType::kList:
      return 7;
    case ConfigType::kClass:
      return 8;
    case ConfigType::kPassword:
      return 9;
  }
  return 0;
}

}  // namespace braid::broker
