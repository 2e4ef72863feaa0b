#include "broker/api/topic_config_lines.h"

#include <utility>

namespace braid::broker {
namespace {

ConfigSource shown(ValueSource source) {
  switch (source) {
    case ValueSource::kTopic:
      return ConfigSource::kTopic;
    case ValueSource::kBroker:
      return ConfigSource::kStaticBroker;
    case ValueSource::kDefault:
      return ConfigSource::kDefault;
  }
  return ConfigSource::kUnknown;
}

}  // namespace

std::vector<TopicConfigLine> topic_config_lines(const TopicConfigs& own, const Config& broker) {
  std::vector<TopicConfigLine> lines;
  for (const TopicKey& key : topic_keys()) {
    if (key.key.internal) continue;
    ValueInForce in_force = value_in_force(key, own, broker);
    lines.push_back({&key, std::move(in_force.value), shown(in_force.source)});
  }
  return lines;
}

}  // namespace braid::broker
