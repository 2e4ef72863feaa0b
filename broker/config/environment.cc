#include "broker/config/environment.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <utility>

#include "broker/config/excerpt.h"

namespace braid::broker {
namespace {

constexpr std::string_view kPrefix = "KAFKA_";

// Read by Kafka's start scripts and images, not by its broker.
constexpr std::array<std::string_view, 17> kForScripts = {"KAFKA_CFG_FILE",
                                                          "KAFKA_CLUSTER_ID_FILE",
                                                          "KAFKA_DEBUG",
                                                          "KAFKA_GC_LOG_OPTS",
                                                          "KAFKA_HEAP_OPTS",
                                                          "KAFKA_HOME",
                                                          "KAFKA_JMX_HOSTNAME",
                                                          "KAFKA_JMX_OPTS",
                                                          "KAFKA_JMX_PORT",
                                                          "KAFKA_JVM_PERFORMANCE_OPTS",
                                                          "KAFKA_LOG4J_LOGGERS",
                                                          "KAFKA_LOG4J_OPTS",
                                                          "KAFKA_LOG4J_ROOT_LOGLEVEL",
                                                          "KAFKA_MODE",
                                                          "KAFKA_OPTS",
                                                          "KAFKA_TOOLS_LOG4J_LOGLEVEL",
                                                          "KAFKA_VERSION"};

/// What so many underscores stand for; more than three are cut into threes first.
void append_separators(std::size_t underscores, std::string& key) {
  for (; underscores >= 3; underscores -= 3) key += '-';
  if (underscores == 2) key += '_';
  if (underscores == 1) key += '.';
}

}  // namespace

std::optional<std::string> key_of_variable(std::string_view variable) {
  if (variable == "CLUSTER_ID") return "cluster.id";
  if (!variable.starts_with(kPrefix) || std::ranges::find(kForScripts, variable) != kForScripts.end())
    return std::nullopt;
  variable.remove_prefix(kPrefix.size());
  if (variable.empty()) return std::nullopt;

  std::string key;
  std::size_t underscores = 0;
  for (const char c : variable) {
    if (c == '_') {
      ++underscores;
      continue;
    }
    append_separators(underscores, key);
    underscores = 0;
    key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  append_separators(underscores, key);
  return key;
}

std::vector<ConfigEntry> environment_entries(std::span<const std::string_view> variables) {
  std::vector<ConfigEntry> entries;
  for (const std::string_view variable : variables) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = variable.substr(0, equals);
    if (auto key = key_of_variable(name)) {
      entries.push_back(
          {std::move(*key), std::string(variable.substr(equals + 1)), ConfigOrigin::kEnvironment, excerpt(name)});
    }
  }
  return entries;
}

}  // namespace braid::broker
