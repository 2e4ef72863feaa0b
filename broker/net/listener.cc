#include "broker/net/listener.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>
#include <vector>

#include "broker/config/endpoint.h"
#include "broker/config/excerpt.h"
#include "broker/observe/log.h"
#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

/// An IPv4 client of a socket for both families is counted and shown by its IPv4 address.
std::string address_text(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

/// Tries one address; the error of what failed.
error_code open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, int backlog) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error && endpoint.address().is_v6() && endpoint.address().is_unspecified())
    acceptor.set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(backlog, error);
  if (error) {
    error_code ignored;  // the error that counts is the first one
    acceptor.close(ignored);
  }
  return error;
}

/// All families for an empty host, if the machine has IPv6; otherwise what the name stands for.
std::vector<tcp::endpoint> candidates(asio::io_context& loop, const ListenerSettings& settings, error_code& error) {
  if (settings.host.empty()) return {{tcp::v6(), settings.port}, {tcp::v4(), settings.port}};
  tcp::resolver resolver(loop);
  std::vector<tcp::endpoint> found;
  for (const auto& entry : resolver.resolve(settings.host, std::to_string(settings.port), error))
    found.push_back(entry.endpoint());
  return found;
}

/// Descriptors or memory ran out; trying again at once would fail again.
bool is_exhaustion(const error_code& error) {
  return error == asio::error::no_descriptors || error == asio::error::no_buffer_space ||
         error == asio::error::no_memory || error == boost::system::errc::too_many_files_open_in_system;
}

}  // namespace

std::variant<tcp::acceptor, std::string> listen(asio::io_context& loop, const ListenerSettings& settings, int backlog) {
  tcp::acceptor acceptor(loop);
  error_code error;
  for (const tcp::endpoint& endpoint : candidates(loop, settings, error)) {
    error = open(acceptor, endpoint, backlog);
    if (!error) return acceptor;
    if (error == asio::error::address_in_use) break;
  }
  return "listener " + excerpt(settings.name) + " can't listen on " +
         host_and_port(excerpt(settings.host), settings.port) + ": " + error.message();
}

Listener::Listener(std::string name, tcp::acceptor acceptor, Admission& admission, const protocol::Clock& clock,
                   Target target)
    : name_(std::move(name)),
      admission_(admission),
      clock_(clock),
      target_(std::move(target)),
      acceptor_(std::move(acceptor)),
      room_(acceptor_.get_executor(), asio::steady_timer::time_point::max()),
      pause_(acceptor_.get_executor()) {}

void Listener::start() { asio::co_spawn(acceptor_.get_executor(), accept_all(), asio::detached); }

asio::awaitable<void> Listener::accept_all() {
  while (acceptor_.is_open()) {
    if (!admission_.has_room()) {
      co_await wait_for_room();
      continue;
    }
    asio::io_context& loop = target_.next_loop();
    auto [error, socket] = co_await acceptor_.async_accept(loop, kAsTuple);
    // Another listener may have taken the last place meanwhile: this client waits, accepted but not served.
    while (!error && !admission_.has_room() && acceptor_.is_open()) co_await wait_for_room();
    if (!acceptor_.is_open()) co_return;
    if (!error) {
      const std::chrono::nanoseconds until_next = admission_.accepted(clock_.now());
      take(loop, std::move(socket));
      if (until_next.count() > 0) co_await pause_for(until_next);
    } else if (error != asio::error::operation_aborted) {
      co_await pause(error);
    }
  }
}

asio::awaitable<void> Listener::wait_for_room() {
  static_cast<void>(co_await room_.async_wait(kAsTuple));  // cancelling it is how it is woken
}

asio::awaitable<void> Listener::pause(const error_code& error) {
  if (const auto left_out = error_rate_.admit(clock_.now())) {
    log(LogLevel::kWarning, "net", "can't accept a connection",
        {{"listener", name_}, {"error", error.message()}, {"lines_left_out", std::to_string(*left_out)}});
  }
  if (!is_exhaustion(error)) co_return;  // the client gave up meanwhile
  pause_.expires_after(std::chrono::milliseconds(protocol::kAcceptPauseMs));
  static_cast<void>(co_await pause_.async_wait(kAsTuple));  // cancelled only by a stop
}

/// More than max.connection.creation.rate wait in the kernel's queue.
asio::awaitable<void> Listener::pause_for(std::chrono::nanoseconds length) {
  pause_.expires_after(length);
  static_cast<void>(co_await pause_.async_wait(kAsTuple));  // cancelled only by a stop
}

void Listener::take(asio::io_context& loop, tcp::socket socket) {
  error_code error;
  const tcp::endpoint remote = socket.remote_endpoint(error);
  if (error) return;  // gone already
  Peer peer{name_, address_text(remote.address()), remote.port()};
  if (admission_.admit(peer.address)) {
    target_.hand_over(loop, std::move(socket), std::move(peer));
    return;
  }
  if (const auto left_out = refusal_rate_.admit(clock_.now())) {
    log(LogLevel::kWarning, "net", "refused a connection: its address has max.connections.per.ip already",
        {{"listener", name_}, {"address", peer.address}, {"lines_left_out", std::to_string(*left_out)}});
  }
}

void Listener::resume() { room_.cancel(); }

void Listener::close() {
  error_code ignored;  // it is over for us, whatever the kernel says
  acceptor_.close(ignored);
  room_.cancel();
  pause_.cancel();
}

std::string Listener::bound_address() const {
  const tcp::endpoint local = acceptor_.local_endpoint();
  return host_and_port(local.address().to_string(), local.port());
}

std::uint16_t Listener::bound_port() const { return acceptor_.local_endpoint().port(); }

}  // namespace braid::broker
