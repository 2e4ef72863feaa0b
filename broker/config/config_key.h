#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace braid::broker {

/// Kafka's types of values; kClass and kPassword are texts, kList is comma-separated.
enum class ConfigType { kBoolean, kShort, kInt, kLong, kDouble, kString, kList, kClass, kPassword };
enum class Importance { kHigh, kMedium, kLow };
/// Where Kafka lets a running broker take a new value from.
enum class UpdateMode { kReadOnly, kPerBroker, kClusterWide };
/// What setting the key does here.
enum class Effect {
  kActs,
  kNone,     // known and checked; a set value is named once in the log
  kRefused,  // setting it stops the start: leaving it out silently would be unsafe
};

/// One configuration key, as a row of the generated table. Everything lives for the whole program.
struct ConfigKey {
  std::string_view name;
  ConfigType type;
  std::optional<std::string_view> default_value;  // none: null, as in Kafka
  std::string_view rule;                          // in Kafka's notation, see value_rule.h; empty: any value of the type
  Importance importance;
  UpdateMode update_mode;
  Effect effect;
  bool sensitive;          // never shown
  bool internal;           // not in Kafka's documentation
  bool own;                // ours, not Kafka's
  std::string_view about;  // what it does, for a person
};

/// All keys, sorted by name. Any thread.
std::span<const ConfigKey> config_keys();

/// The key of exactly this name, or null.
const ConfigKey* find_config_key(std::string_view name);

/// What a name in a file or variable stands for.
struct KnownSetting {
  const ConfigKey* key = nullptr;  // null: unknown
  bool for_one_listener = false;   // was listener.name.NAME.KEY or listener.name.NAME.MECHANISM.KEY
};
KnownSetting find_setting(std::string_view name);

/// As in Kafka's documents: "int", "list" …
std::string_view to_text(ConfigType type);

}  // namespace braid::broker
