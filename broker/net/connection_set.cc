#include "broker/net/connection_set.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "broker/config/endpoint.h"
#include "broker/observe/log.h"
#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// Often enough that no connection outlives its deadline by much more than a quarter of it.
std::chrono::milliseconds sweep_period(const ConnectionSettings& settings) {
  const std::chrono::milliseconds shortest =
      std::min(settings.first_request_max, settings.idle_max.value_or(settings.first_request_max));
  return std::clamp(shortest / 4, std::chrono::milliseconds(protocol::kSweepPeriodMsMin),
                    std::chrono::milliseconds(protocol::kSweepPeriodMsMax));
}

}  // namespace

ConnectionSet::ConnectionSet(asio::io_context& loop, const ConnectionSettings& settings,
                             std::span<const ServedApi> apis, const BrokerFacts& facts, Node& node,
                             const protocol::Clock& clock, Events events)
    : loop_(loop),
      settings_(settings),
      clock_(clock),
      events_(std::move(events)),
      sweep_period_(sweep_period(settings)),
      dispatcher_(apis, facts, node),
      scratch_(protocol::kReceiveScratchBytes),
      sweep_timer_(loop) {}

void ConnectionSet::add(asio::ip::tcp::socket socket, Peer peer) {
  ++accepted_;
  prepare(socket);
  auto connection = std::make_shared<Connection>(std::move(socket), std::move(peer), settings_, dispatcher_, clock_,
                                                 protocol::MutableBytes(scratch_));
  connection->identify(loop_);
  connections_.insert(connection);
  start(connection);
  if (draining_) connection->drain();
  sweep_later();
}

/// A socket that refuses an option still works; it only costs some speed.
void ConnectionSet::prepare(asio::ip::tcp::socket& socket) const {
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  if (settings_.receive_buffer_bytes)
    socket.set_option(asio::socket_base::receive_buffer_size(*settings_.receive_buffer_bytes), ignored);
  if (settings_.send_buffer_bytes)
    socket.set_option(asio::socket_base::send_buffer_size(*settings_.send_buffer_bytes), ignored);
}

void ConnectionSet::start(std::shared_ptr<Connection> connection) {
  const auto serve = [](ConnectionSet& set, std::shared_ptr<Connection> served) -> asio::awaitable<void> {
    co_await served->run();
    set.finished(served);
  };
  asio::co_spawn(loop_, serve(*this, std::move(connection)), asio::detached);
}

void ConnectionSet::finished(const std::shared_ptr<Connection>& connection) {
  connections_.erase(connection);
  log_ending(*connection);
  events_.closed(connection->peer());
  report_if_drained();
}

void ConnectionSet::log_ending(const Connection& connection) {
  const Peer& peer = connection.peer();
  const auto& ending = connection.session().ending();
  const std::string reason = ending ? ending->reason : "the broker stops";
  if (!ending || !ending->misbehaved) {
    if (!log_is_on(LogLevel::kDebug)) return;
    log(LogLevel::kDebug, "net", "closed a connection",
        {{"listener", peer.listener}, {"peer", host_and_port(peer.address, peer.port)}, {"reason", reason}});
    return;
  }
  ++misbehaved_;
  const auto left_out = misbehaviour_rate_.admit(clock_.now());
  if (!left_out) return;
  log(LogLevel::kWarning, "net", "closed a connection: " + reason,
      {{"listener", peer.listener},
       {"peer", host_and_port(peer.address, peer.port)},
       {"client", connection.session().client().software_name},
       {"lines_left_out", std::to_string(*left_out)}});
}

void ConnectionSet::drain() {
  draining_ = true;
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) connection->drain();
  report_if_drained();
}

void ConnectionSet::abort() {
  for (const auto& connection : connections_) connection->abort("the broker stops");
}

void ConnectionSet::add_to(MetricsSnapshot& snapshot) const {
  dispatcher_.counters().add_to(snapshot.requests, clock_.now());
  ConnectionFigures& figures = snapshot.loops.emplace_back();
  figures.accepted = accepted_;
  figures.misbehaved = misbehaved_;
  for (const auto& connection : connections_) {
    const std::string& listener = connection->peer().listener;
    const ClientFacts& client = connection->session().client();
    const bool named = !client.software_name.empty();
    ++figures.by_listener[listener];
    ++figures.by_software[{listener, named ? client.software_name : "unknown",
                           named ? client.software_version : "unknown"}];
    figures.receive_buffer_bytes += connection->session().buffered_bytes();
    figures.reply_bytes_queued += connection->session().replies().queued_bytes();
  }
}

void ConnectionSet::report_if_drained() {
  if (!draining_ || reported_ || !connections_.empty()) return;
  reported_ = true;
  events_.drained();
}

void ConnectionSet::sweep_later() {
  if (sweeping_ || connections_.empty()) return;
  sweeping_ = true;
  sweep_timer_.expires_after(sweep_period_);
  sweep_timer_.async_wait([this](const error_code& error) {
    sweeping_ = false;
    if (error) return;
    sweep();
    sweep_later();
  });
}

void ConnectionSet::sweep() {
  const protocol::Instant now = clock_.now();
  for (const auto& connection : connections_) connection->check_deadline(now);
}

}  // namespace braid::broker
