#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

#include "broker/net/connection.h"
#include "broker/observe/log_rate.h"
#include "broker/observe/metrics_snapshot.h"

namespace braid::broker {

/// The connections of one loop, and what they share: the memory they read into and the dispatcher. Everything on the
/// loop's thread. Settings, facts and clock outlive it.
class ConnectionSet {
 public:
  struct Events {
    std::function<void(const Peer&)> closed;  // once for each connection that was added
    std::function<void()> drained;            // once after drain(), when the last one is closed
  };

  ConnectionSet(boost::asio::io_context& loop, const ConnectionSettings& settings, std::span<const ServedApi> apis,
                const BrokerFacts& facts, Node& node, const protocol::Clock& clock, Events events);

  /// Serves it until it closes; closes it at once when draining.
  void add(boost::asio::ip::tcp::socket socket, Peer peer);
  void drain();
  /// Closes all at once.
  void abort();
  /// Adds what this loop has counted.
  void add_to(MetricsSnapshot& snapshot) const;

 private:
  void prepare(boost::asio::ip::tcp::socket& socket) const;
  void start(std::shared_ptr<Connection> connection);
  void finished(const std::shared_ptr<Connection>& connection);
  void log_ending(const Connection& connection);
  void report_if_drained();
  void sweep_later();
  void sweep();

  boost::asio::io_context& loop_;
  const ConnectionSettings& settings_;
  const protocol::Clock& clock_;
  const Events events_;
  const std::chrono::milliseconds sweep_period_;
  Dispatcher dispatcher_;
  protocol::Bytes scratch_;
  LogRate misbehaviour_rate_;
  boost::asio::steady_timer sweep_timer_;
  std::uint64_t accepted_ = 0;
  std::uint64_t misbehaved_ = 0;
  bool sweeping_ = false;
  bool draining_ = false;
  bool reported_ = false;  // that it is drained
  std::unordered_set<std::shared_ptr<Connection>> connections_;
};

}  // namespace braid::broker
