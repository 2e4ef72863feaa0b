#include "broker/config/config_key.h"

#include <algorithm>

namespace braid::broker {

const ConfigKey* find_config_key(std::string_view name) {
  const auto keys = config_keys();
  const auto found = std::ranges::lower_bound(keys, name, {}, &ConfigKey::name);
  return found != keys.end() && found->name == name ? &*found : nullptr;
}

KnownSetting find_setting(std::string_view name) {
  if (const ConfigKey* key = find_config_key(name)) return {key, false};

  constexpr std::string_view kListenerPrefix = "listener.name.";
  if (!name.starts_with(kListenerPrefix)) return {};
  std::string_view rest = name.substr(kListenerPrefix.size());
  constexpr int kNamesMax = 2;  // the listener's, and a SASL mechanism's
  for (int names = 0; names < kNamesMax; ++names) {
    const std::size_t dot = rest.find('.');
    if (dot == 0 || dot == std::string_view::npos) return {};
    rest.remove_prefix(dot + 1);
    if (const ConfigKey* key = find_config_key(rest)) return {key, true};
  }
  return {};
}

std::string_view to_text(ConfigType type) {
  switch (type) {
    case ConfigType::kBoolean:
      return "boolean";
    case ConfigType::kShort:
      return "short";
    case ConfigType::kInt:
      return "int";
    case ConfigType::kLong:
      return "long";
    case ConfigType::kDouble:
      return "double";
    case ConfigType::kString:
      return "string";
    case ConfigType::kList:
      return "list";
    case ConfigType::kClass:
      return "class";
    case ConfigType::kPassword:
      return "password";
  }
  return "";
}

}  // namespace braid::broker
