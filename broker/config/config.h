#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/config_key.h"
#include "broker/config/findings.h"

namespace braid::broker {

/// Later ones win.
enum class ConfigOrigin { kDefault, kFile, kEnvironment, kCommandLine };

/// A value that somebody gave, and where.
struct ConfigEntry {
  std::string key;
  std::string value;
  ConfigOrigin origin = ConfigOrigin::kDefault;
  std::string where;  // "server.properties:12", "KAFKA_LISTENERS", "--override"; empty for a default
};

/// The values of all keys: given, or their defaults. Keys asked for must be in the key table and of the asked type.
/// Immutable once loaded, so that any thread may read it.
class Config {
 public:
  /// Replaces an earlier value of the same key.
  void set(ConfigEntry entry);

  bool given(std::string_view key) const { return entries_.find(key) != entries_.end(); }
  /// None: null.
  std::optional<std::string_view> value(std::string_view key) const;
  std::string_view text(std::string_view key) const;  // empty for null
  std::int64_t integer(std::string_view key) const;
  std::vector<std::string_view> list(std::string_view key) const;  // empty for null

  const std::map<std::string, ConfigEntry, std::less<>>& entries() const { return entries_; }

 private:
  std::map<std::string, ConfigEntry, std::less<>> entries_;
};

/// What a configuration is made of, in the order of precedence. Values are as they were given, not trimmed.
struct ConfigLayers {
  std::vector<ConfigEntry> file;
  std::vector<ConfigEntry> environment;
  std::vector<ConfigEntry> command_line;
};

struct LoadedConfig {
  Config config;
  ConfigProblems problems;  // each with key, value, place and what is allowed
  ConfigNotices notices;
};

/// Merges the layers and checks every value against its key.
LoadedConfig load_config(ConfigLayers layers);

/// "key=value (where): why; allowed: …", with the value hidden where it must be, and cut where it is long.
std::string problem_text(const ConfigEntry& entry, std::string_view why);

/// The same for the value in force, or for a `part` of it: one item of a list, say.
std::string problem_with(const Config& config, std::string_view key, std::string_view why);
std::string problem_with_part(const Config& config, std::string_view key, std::string_view part, std::string_view why);

}  // namespace braid::broker
