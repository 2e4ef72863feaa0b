#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/config.h"
#include "broker/config/listeners.h"

namespace braid::broker {

/// How many connections there may be. Immutable.
struct ConnectionLimits {
  std::int64_t total_max = 0;
  std::int64_t per_address_max = 0;
  std::int64_t rate_max = std::numeric_limits<std::int32_t>::max();        // that are accepted in a second
  std::map<std::string, std::int64_t, std::less<>> per_address_overrides;  // by address as text
};

/// How a connection behaves. Immutable.
struct ConnectionSettings {
  std::int32_t frame_bytes_max = 0;
  std::optional<std::chrono::milliseconds> idle_max;  // none: for ever
  std::chrono::milliseconds first_request_max{};
  std::optional<int> receive_buffer_bytes;  // none: the kernel's choice
  std::optional<int> send_buffer_bytes;
};

/// Where and how records are kept. Immutable.
struct StorageSettings {
  bool in_memory = false;
  std::string log_dir;
  std::int64_t file_bytes = 0;  // of a new store's log files
  std::int64_t tail_bytes = 0;
  std::chrono::milliseconds flush_interval{};
  std::int64_t flush_bytes = 0;
};

/// Where monitoring is served. Immutable.
struct HttpSettings {
  ListenerSettings listener;
  bool asked_for = false;  // by the configuration: then it must be possible to listen there
};

/// Everything of the configuration that acts, in the types that the code uses. Immutable once derived.
struct BrokerSettings {
  std::int32_t node_id = 0;
  std::string cluster_id;  // empty: make one
  std::string storage_layout;
  std::string flush_mode;
  unsigned loop_count = 0;  // 0: by the number of processors
  std::chrono::milliseconds drain_max{};
  std::string rack;  // empty: none
  StorageSettings storage;
  int listen_backlog = 0;
  ConnectionLimits limits;
  ConnectionSettings connection;
  std::vector<ListenerSettings> listeners;
  std::optional<HttpSettings> http;
  std::size_t request_bytes_max = 0;  // of all connections together
  std::size_t fetch_bytes_max = 0;    // of all answers to fetches together
};

struct DerivedSettings {
  BrokerSettings settings;  // meaningful when there is no problem
  ConfigProblems problems;
  ConfigNotices notices;
};

/// From a configuration without problems. Also finds what can't be seen in one key alone, and what it would be unsafe
/// to leave out. `host_name` is this machine's name.
DerivedSettings derive_settings(const Config& config, std::string_view host_name);

}  // namespace braid::broker
