#include "broker/config/config_text.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <optional>
#include <string_view>

#include "protocol/base/printable.h"
#include "protocol/base/utf8.h"

namespace braid::broker {
namespace {

struct ShownValue {
  std::optional<std::string> value;
  std::string_view source = "default";
  std::string where;
  std::string_view type = "unknown";
};

std::string_view source_of(ConfigOrigin origin) {
  switch (origin) {
    case ConfigOrigin::kDefault:
      return "default";
    case ConfigOrigin::kFile:
      return "file";
    case ConfigOrigin::kEnvironment:
      return "environment";
    case ConfigOrigin::kCommandLine:
      return "command line";
  }
  return "";
}

/// Sorted by key. A value that nobody may see is replaced.
std::map<std::string, ShownValue> shown_values(const Config& config) {
  std::map<std::string, ShownValue> shown;
  for (const ConfigKey& key : config_keys()) {
    ShownValue& value = shown[std::string(key.name)];
    if (key.default_value) value.value = std::string(*key.default_value);
    value.type = to_text(key.type);
  }
  for (const auto& [name, entry] : config.entries()) {
    const ConfigKey* key = find_setting(name).key;
    const bool hidden = key == nullptr || key->sensitive;
    shown[name] = {hidden ? "[hidden]" : entry.value, source_of(entry.origin), entry.where,
                   key == nullptr ? "unknown" : to_text(key->type)};
  }
  return shown;
}

/// As a properties file would have it, and fit for a terminal.
std::string escaped(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c == '\t') {
      plain += "\\t";
    } else if (c == '\n') {
      plain += "\\n";
    } else if (c == '\r') {
      plain += "\\r";
    } else if (c == '\\') {
      plain += "\\\\";
    } else {
      plain += c;
    }
  }
  return protocol::printable(plain);
}

/// JSON escapes control characters itself; bytes that are no text it can't hold.
std::string json_text(std::string_view text) {
  return protocol::is_utf8(text) ? std::string(text) : protocol::printable(text);
}

}  // namespace

std::string config_as_text(const Config& config) {
  std::string text;
  for (const auto& [name, shown] : shown_values(config)) {
    text += escaped(name) + "\t" + (shown.value ? escaped(*shown.value) : "null") + "\t" + std::string(shown.source);
    if (!shown.where.empty()) text += " " + shown.where;
    text += "\n";
  }
  return text;
}

std::string config_as_json(const Config& config) {
  boost::json::object all;
  for (const auto& [name, shown] : shown_values(config)) {
    boost::json::object one;
    if (shown.value) {
      one["value"] = json_text(*shown.value);
    } else {
      one["value"] = nullptr;
    }
    one["source"] = shown.source;
    if (!shown.where.empty()) one["where"] = json_text(shown.where);
    one["type"] = shown.type;
    all[json_text(name)] = std::move(one);
  }
  return boost::json::serialize(all) + "\n";
}

}  // namespace braid::broker
