#include "broker/config/listeners.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "broker/config/endpoint.h"
#include "broker/config/excerpt.h"
#include "broker/config/value.h"

namespace braid::broker {
namespace {

class Planner {
 public:
  Planner(const Config& config, std::string_view host_name) : config_(config), host_name_(host_name) {}

  ListenerPlan plan() && {
    read_protocols();
    read_controller_names();
    const std::vector<Endpoint> bound = read_endpoints("listeners");
    read_advertised(bound);
    for (const Endpoint& endpoint : bound) {
      if (!for_controllers(endpoint)) add(endpoint);
    }
    if (plan_.listeners.empty() && plan_.problems.empty()) problem("listeners", "leaves no listener for clients");
    return std::move(plan_);
  }

 private:
  void problem(std::string_view key, const std::string& why) { plan_.problems.add(problem_with(config_, key, why)); }
  void problem(std::string_view key, std::string_view part, const std::string& why) {
    plan_.problems.add(problem_with_part(config_, key, part, why));
  }
  void notice(bool warning, std::string_view key, std::string text) {
    plan_.notices.add({warning, std::string(key), std::move(text)});
  }

  void read_protocols() {
    constexpr std::string_view kKey = "listener.security.protocol.map";
    static const std::set<std::string, std::less<>> kKnown = {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"};
    for (const std::string_view pair : config_.list(kKey)) {
      const std::size_t colon = pair.rfind(':');
      const std::string name = upper_case(pair.substr(0, colon));
      const std::string protocol = colon == std::string_view::npos ? "" : upper_case(pair.substr(colon + 1));
      if (!kKnown.contains(protocol)) {
        problem(kKey, pair, "must be LISTENER:PROTOCOL, with PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL");
      } else if (!protocols_.emplace(name, protocol).second) {
        problem(kKey, pair, "names " + excerpt(name) + " twice");
      }
    }
  }

  void read_controller_names() {
    for (const std::string_view name : config_.list("controller.listener.names"))
      controller_names_.insert(upper_case(name));
  }

  std::vector<Endpoint> read_endpoints(std::string_view key) {
    std::vector<Endpoint> endpoints;
    std::set<std::string> names;
    for (const std::string_view text : config_.list(key)) {
      std::optional<Endpoint> endpoint = parse_endpoint(text);
      if (!endpoint) {
        problem(key, text, "must be NAME://HOST:PORT");
      } else if (!names.insert(endpoint->name).second) {
        problem(key, text, "names " + excerpt(endpoint->name) + " twice");
      } else {
        endpoints.push_back(std::move(*endpoint));
      }
    }
    return endpoints;
  }

  void read_advertised(const std::vector<Endpoint>& bound) {
    constexpr std::string_view kKey = "advertised.listeners";
    for (Endpoint& endpoint : read_endpoints(kKey)) {
      if (std::ranges::find(bound, endpoint.name, &Endpoint::name) == bound.end()) {
        problem(kKey, "names " + excerpt(endpoint.name) + ", which is not among listeners");
      } else if (is_wildcard(endpoint.host)) {
        problem(kKey, "no client can connect to the address of " + excerpt(endpoint.name));
      } else {
        std::string name = endpoint.name;
        advertised_.emplace(std::move(name), std::move(endpoint));
      }
    }
  }

  bool for_controllers(const Endpoint& endpoint) {
    if (!controller_names_.contains(endpoint.name)) return false;
    notice(false, "controller.listener.names",
           "listener " + excerpt(endpoint.name) + " is not opened: there is no separate controller");
    return true;
  }

  void add(const Endpoint& endpoint) {
    const std::string shown_name = excerpt(endpoint.name);
    const auto protocol = protocols_.find(endpoint.name);
    if (protocol == protocols_.end()) {
      problem("listeners", "the listener " + shown_name +
                               " has no protocol: listener.security.protocol.map needs an item such as " + shown_name +
                               ":PLAINTEXT");
      return;
    }
    if (protocol->second != "PLAINTEXT") {
      problem("listeners", "listener " + shown_name + " would have to be " + protocol->second +
                               ", and only PLAINTEXT is served: it is not opened unprotected");
      return;
    }
    ListenerSettings listener{endpoint.name, endpoint.host, endpoint.port, endpoint.host, 0};
    if (const auto found = advertised_.find(endpoint.name); found != advertised_.end()) {
      listener.advertised_host = found->second.host;
      listener.advertised_port = found->second.port;
      if (is_wildcard(endpoint.host) && is_loopback(found->second.host)) {
        notice(true, "advertised.listeners",
               shown_name + " is bound to all addresses, but tells clients a loopback one");
      }
    } else if (is_wildcard(endpoint.host)) {
      listener.advertised_host = host_name_;
      notice(true, "advertised.listeners",
             "is not set for " + shown_name + ", which is bound to all addresses: clients are told this host's name, " +
                 std::string(host_name_));
    }
    plan_.listeners.push_back(std::move(listener));
  }

  const Config& config_;
  const std::string_view host_name_;
  std::map<std::string, std::string, std::less<>> protocols_;
  std::set<std::string, std::less<>> controller_names_;
  std::map<std::string, Endpoint, std::less<>> advertised_;
  ListenerPlan plan_;
};

}  // namespace

ListenerPlan plan_listeners(const Config& config, std::string_view host_name) {
  return Planner(config, host_name).plan();
}

}  // namespace braid::broker
