#include "broker/config/settings.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "broker/config/endpoint.h"
#include "broker/config/excerpt.h"
#include "broker/config/value.h"

namespace braid::broker {
namespace {

/// Longer than any broker runs, and short enough to be added to a point in time in nanoseconds.
constexpr std::int64_t kDurationMsMax = std::int64_t{100} * 365 * 24 * 60 * 60 * 1000;

std::chrono::milliseconds duration(std::int64_t ms) { return std::chrono::milliseconds(std::min(ms, kDurationMsMax)); }

/// A key whose feature is missing must not be set, not for one listener either: the operator relies on it.
void refuse_what_is_missing(const Config& config, ConfigProblems& problems) {
  for (const auto& [name, entry] : config.entries()) {
    const ConfigKey* key = find_setting(name).key;
    if (key == nullptr || key->effect != Effect::kRefused) continue;
    if (entry.value.empty() || entry.value == key->default_value.value_or("")) continue;
    problems.add(problem_text(entry, "is not available, and starting without it would be unsafe"));
  }
}

std::int32_t node_id(const Config& config, ConfigProblems& problems) {
  const bool by_old_name = config.given("broker.id") && config.integer("broker.id") >= 0;
  const std::int64_t old_id = by_old_name ? config.integer("broker.id") : -1;
  if (!config.given("node.id")) return static_cast<std::int32_t>(by_old_name ? old_id : config.integer("node.id"));
  if (by_old_name && old_id != config.integer("node.id"))
    problems.add(problem_with(config, "broker.id", "differs from node.id"));
  return static_cast<std::int32_t>(config.integer("node.id"));
}

std::map<std::string, std::int64_t, std::less<>> address_overrides(const Config& config, ConfigProblems& problems) {
  constexpr std::string_view kKey = "max.connections.per.ip.overrides";
  std::map<std::string, std::int64_t, std::less<>> overrides;
  for (const std::string_view item : config.list(kKey)) {
    const std::size_t colon = item.rfind(':');
    const auto count = colon == std::string_view::npos ? std::nullopt : parse_integer(trimmed(item.substr(colon + 1)));
    if (!count || *count < 0) {
      problems.add(problem_with(config, kKey, "must be ADDRESS:COUNT, separated by commas"));
      return {};
    }
    overrides.insert_or_assign(std::string(trimmed(item.substr(0, colon))), *count);
  }
  return overrides;
}

std::optional<int> buffer_bytes(const Config& config, std::string_view key, ConfigProblems& problems) {
  const std::int64_t bytes = config.integer(key);
  if (bytes == -1) return std::nullopt;
  if (bytes < 1) problems.add(problem_with(config, key, "must be -1 or at least 1"));
  return static_cast<int>(bytes);
}

ConnectionSettings connection_settings(const Config& config, ConfigProblems& problems) {
  ConnectionSettings connection;
  connection.frame_bytes_max = static_cast<std::int32_t>(config.integer("socket.request.max.bytes"));
  const std::int64_t idle_ms = config.integer("connections.max.idle.ms");
  if (idle_ms >= 0) connection.idle_max = duration(idle_ms);
  connection.first_request_max = duration(config.integer("connections.first.request.max.ms"));
  connection.receive_buffer_bytes = buffer_bytes(config, "socket.receive.buffer.bytes", problems);
  connection.send_buffer_bytes = buffer_bytes(config, "socket.send.buffer.bytes", problems);
  return connection;
}

std::optional<HttpSettings> http_settings(const Config& config, DerivedSettings& derived) {
  constexpr std::string_view kKey = "http.listener";
  const std::string_view address = config.text(kKey);
  if (address.empty()) return std::nullopt;
  const auto endpoint = parse_endpoint("http://" + std::string(address));
  if (!endpoint) {
    derived.problems.add(problem_with(config, kKey, "must be HOST:PORT, or empty"));
    return std::nullopt;
  }
  if (!is_loopback(endpoint->host))
    derived.notices.add(
        {true, std::string(kKey), "is served to whoever reaches " + excerpt(address) + ": there is no login"});
  return HttpSettings{{"http", endpoint->host, endpoint->port, {}, 0}, config.given(kKey)};
}

std::string log_dir(const Config& config, ConfigProblems& problems) {
  const std::string_view key = config.list("log.dirs").empty() ? "log.dir" : "log.dirs";
  const auto directories = config.list(key);
  if (directories.size() > 1) problems.add(problem_with(config, key, "must name one directory"));
  return directories.empty() ? std::string{} : std::string(directories.front());
}

StorageSettings storage_settings(const Config& config, ConfigProblems& problems) {
  constexpr std::int64_t kBlockBytes = 4096;
  StorageSettings storage;
  storage.log_dir = log_dir(config, problems);
  storage.file_bytes = config.integer("commitlog.file.bytes");
  storage.tail_bytes = config.integer("commitlog.tail.bytes");
  storage.flush_interval = duration(config.integer("flush.interval.ms"));
  storage.flush_bytes = config.integer("flush.bytes");
  if (storage.file_bytes % kBlockBytes != 0)
    problems.add(problem_with(config, "commitlog.file.bytes", "must be a multiple of 4096"));
  if (config.text("storage.layout") != "commitlog")
    problems.add(problem_with(config, "storage.layout", "is not available yet: only commitlog is"));
  return storage;
}

}  // namespace

DerivedSettings derive_settings(const Config& config, std::string_view host_name) {
  DerivedSettings derived;
  BrokerSettings& settings = derived.settings;
  refuse_what_is_missing(config, derived.problems);

  const auto roles = config.list("process.roles");
  if (std::ranges::find(roles, "broker") == roles.end())
    derived.problems.add(problem_with(config, "process.roles", "must contain broker"));

  settings.node_id = node_id(config, derived.problems);
  settings.cluster_id = config.text("cluster.id");
  settings.storage_layout = config.text("storage.layout");
  settings.flush_mode = config.text("flush.mode");
  settings.loop_count = static_cast<unsigned>(config.integer("loop.threads"));
  settings.drain_max = duration(config.integer("stop.drain.max.ms"));
  settings.listen_backlog = static_cast<int>(config.integer("socket.listen.backlog.size"));
  settings.limits.total_max = config.integer("max.connections");
  settings.limits.per_address_max = config.integer("max.connections.per.ip");
  settings.limits.rate_max = config.integer("max.connection.creation.rate");
  settings.limits.per_address_overrides = address_overrides(config, derived.problems);
  settings.connection = connection_settings(config, derived.problems);
  settings.rack = config.text("broker.rack");
  settings.storage = storage_settings(config, derived.problems);

  ListenerPlan plan = plan_listeners(config, host_name);
  settings.listeners = std::move(plan.listeners);
  derived.problems.append(std::move(plan.problems));
  derived.notices = std::move(plan.notices);
  settings.http = http_settings(config, derived);
  const std::int64_t request_bytes = config.integer("queued.max.request.bytes");
  settings.request_bytes_max =
      request_bytes < 0 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::size_t>(request_bytes);
  settings.fetch_bytes_max = static_cast<std::size_t>(config.integer("fetch.memory.bytes"));
  return derived;
}

}  // namespace braid::broker
