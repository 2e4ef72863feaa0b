#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/config.h"

namespace braid::broker {

/// One address to listen on, and what clients are told to connect to.
struct ListenerSettings {
  std::string name;
  std::string host;        // empty: all addresses
  std::uint16_t port = 0;  // 0: a free one
  std::string advertised_host;
  std::uint16_t advertised_port = 0;  // 0: the one that was bound
};

struct ListenerPlan {
  std::vector<ListenerSettings> listeners;
  ConfigProblems problems;
  ConfigNotices notices;
};

/// Derives the listeners from `listeners`, `advertised.listeners`, `listener.security.protocol.map` and
/// `controller.listener.names`. `host_name` is this machine's name: it stands in where nothing else could be told to
/// clients. The plan always has a listener or a problem.
ListenerPlan plan_listeners(const Config& config, std::string_view host_name);

}  // namespace braid::broker
