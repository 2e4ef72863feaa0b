#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace braid::broker {

/// NAME://HOST:PORT, as `listeners` and `advertised.listeners` have it.
struct Endpoint {
  std::string name;  // in upper case, as Kafka normalises it
  std::string host;  // without the brackets of an IPv6 address; empty: all addresses
  std::uint16_t port = 0;
};

/// None when it is not of that form.
std::optional<Endpoint> parse_endpoint(std::string_view text);

/// Stands for every address of the machine: good to listen on, useless to connect to.
bool is_wildcard(std::string_view host);
bool is_loopback(std::string_view host);

/// HOST:PORT, with brackets around an IPv6 address.
std::string host_and_port(std::string_view host, std::uint16_t port);

}  // namespace braid::broker
