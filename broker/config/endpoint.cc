#include "broker/config/endpoint.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

#include "broker/config/value.h"

namespace braid::broker {
namespace {

bool is_host_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-%._:").find(c) != std::string_view::npos;
}

/// HOST or [HOST], with letters a host can have.
std::optional<std::string_view> parse_host(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  if (bracketed) {
    if (!host.ends_with(']')) return std::nullopt;
    host = host.substr(1, host.size() - 2);
  }
  if (!std::ranges::all_of(host, is_host_letter)) return std::nullopt;
  return host;
}

}  // namespace

std::optional<Endpoint> parse_endpoint(std::string_view text) {
  constexpr std::string_view kBehindName = "://";
  const std::size_t name_end = text.find(kBehindName);
  if (name_end == 0 || name_end == std::string_view::npos) return std::nullopt;
  const std::string_view address = text.substr(name_end + kBehindName.size());
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;

  const auto host = parse_host(address.substr(0, colon));
  const auto port = parse_integer(address.substr(colon + 1));
  constexpr std::int64_t kPortMax = 65535;
  if (!host || !port || *port < 0 || *port > kPortMax) return std::nullopt;
  return Endpoint{upper_case(text.substr(0, name_end)), std::string(*host), static_cast<std::uint16_t>(*port)};
}

bool is_wildcard(std::string_view host) {
  const std::string text(host.substr(0, host.find('%')));
  in_addr v4{};
  if (inet_aton(text.c_str(), &v4) != 0) return v4.s_addr == INADDR_ANY;  // "0" and "00.0.0.0" too
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return text.empty();
  constexpr std::size_t kBytesBeforeV4 = 12;
  const bool v4_any = IN6_IS_ADDR_V4MAPPED(&v6) && std::all_of(v6.s6_addr + kBytesBeforeV4, std::end(v6.s6_addr),
                                                               [](auto byte) { return byte == 0; });
  return v4_any || IN6_IS_ADDR_UNSPECIFIED(&v6);
}

bool is_loopback(std::string_view host) {
  return equal_ignoring_case(host, "localhost") || host == "::1" || host.starts_with("127.");
}

std::string host_and_port(std::string_view host, std::uint16_t port) {
  const bool brackets = host.find(':') != std::string_view::npos;
  std::string text = brackets ? "[" + std::string(host) + "]" : std::string(host);
  return text + ":" + std::to_string(port);
}

}  // namespace braid::broker
