#include "broker/config/topic_value.h"

#include "broker/config/value.h"
#include "broker/config/value_rule.h"

namespace braid::broker {

std::optional<std::string> topic_objection(std::string_view key, std::string_view value) {
  const TopicKey* known = find_topic_key(key);
  if (known == nullptr) return "Unknown topic config name: " + std::string(key);
  const std::string_view text = trimmed(value);
  if (const auto why = objection(known->key, text))
    return "Invalid value " + std::string(text) + " for configuration " + std::string(key) + ": " + *why +
           "; allowed: " + allowed_values(known->key);
  if (key == "remote.storage.enable" && parse_boolean(text) == true)
    return "remote.storage.enable=true is not available: there is no tiered storage";
  return std::nullopt;
}

std::optional<std::string> topic_objection(const TopicConfigs& configs, const Config& broker) {
  for (const auto& [key, value] : configs)
    if (auto why = topic_objection(key, value)) return why;
  const auto in_force = [&](std::string_view key) {
    const std::optional<std::string> value = value_in_force(*find_topic_key(key), configs, broker).value;
    return parse_integer(trimmed(value.value_or(""))).value_or(0);
  };
  constexpr std::string_view kLeast = "min.compaction.lag.ms";
  constexpr std::string_view kMost = "max.compaction.lag.ms";
  if ((configs.contains(kLeast) || configs.contains(kMost)) && in_force(kLeast) > in_force(kMost))
    return std::string(kLeast) + " may not be larger than " + std::string(kMost);
  return std::nullopt;
}

}  // namespace braid::broker
