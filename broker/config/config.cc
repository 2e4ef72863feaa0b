#include "broker/config/config.h"

#include <utility>

#include "broker/config/excerpt.h"
#include "broker/config/value.h"
#include "broker/config/value_rule.h"
#include "protocol/base/check.h"

namespace braid::broker {
namespace {

using protocol::check;

void check_entry(const ConfigEntry& entry, LoadedConfig& loaded) {
  const KnownSetting setting = find_setting(entry.key);
  if (setting.key == nullptr) {
    loaded.notices.add({true, excerpt(entry.key), "is no key that is known, and is ignored (" + entry.where + ")"});
    return;
  }
  if (const auto why = objection(*setting.key, entry.value)) {
    loaded.problems.add(problem_text(entry, *why));
    return;
  }
  if (setting.key->effect == Effect::kNone || setting.for_one_listener)
    loaded.notices.add({false, excerpt(entry.key), "is accepted and has no effect"});
}

}  // namespace

void Config::set(ConfigEntry entry) {
  std::string key = entry.key;
  entries_.insert_or_assign(std::move(key), std::move(entry));
}

std::optional<std::string_view> Config::value(std::string_view key) const {
  const auto given = entries_.find(key);
  if (given != entries_.end()) return given->second.value;
  const ConfigKey* known = find_config_key(key);
  check(known != nullptr, "only known keys are asked for");
  return known->default_value;
}

std::string_view Config::text(std::string_view key) const { return value(key).value_or(std::string_view{}); }

std::int64_t Config::integer(std::string_view key) const {
  const std::optional<std::int64_t> number = parse_integer(text(key));
  check(number.has_value(), "the value was checked when it was loaded");
  return *number;
}

std::vector<std::string_view> Config::list(std::string_view key) const { return split_list(text(key)); }

LoadedConfig load_config(ConfigLayers layers) {
  LoadedConfig loaded;
  for (std::vector<ConfigEntry>* layer : {&layers.file, &layers.environment, &layers.command_line}) {
    for (ConfigEntry& entry : *layer) {
      if (entry.key.empty()) {
        loaded.notices.add({true, "a value without a key", "is ignored (" + entry.where + ")"});
        continue;
      }
      entry.value = std::string(trimmed(entry.value));
      loaded.config.set(std::move(entry));
    }
  }
  for (const auto& [key, entry] : loaded.config.entries()) check_entry(entry, loaded);
  return loaded;
}

std::string problem_text(const ConfigEntry& entry, std::string_view why) {
  const ConfigKey* key = find_setting(entry.key).key;
  const bool hidden = key == nullptr || key->sensitive;
  std::string text = excerpt(entry.key) + "=" + (hidden ? "[hidden]" : excerpt(entry.value));
  if (!entry.where.empty()) text += " (" + entry.where + ")";
  text += ": ";
  text += why;
  if (key != nullptr) text += "; allowed: " + allowed_values(*key);
  return text;
}

std::string problem_with(const Config& config, std::string_view key, std::string_view why) {
  return problem_with_part(config, key, config.text(key), why);
}

std::string problem_with_part(const Config& config, std::string_view key, std::string_view part, std::string_view why) {
  const auto given = config.entries().find(key);
  if (given == config.entries().end())
    return problem_text({std::string(key), std::string(part), ConfigOrigin::kDefault, "the default"}, why);
  ConfigEntry shown = given->second;
  shown.value = part;
  return problem_text(shown, why);
}

}  // namespace braid::broker
