#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "broker/config/listeners.h"
#include "broker/net/admission.h"
#include "broker/net/connection.h"
#include "broker/observe/log_rate.h"

namespace braid::broker {

/// A socket that is bound and listens, or why that is impossible, for the operator. At start-up: it may look up a name.
std::variant<boost::asio::ip::tcp::acceptor, std::string> listen(boost::asio::io_context& loop,
                                                                 const ListenerSettings& settings, int backlog);

/// Accepts the connections of one address and hands them out. On the loop that accepts. `admission` and `clock` outlive
/// it.
class Listener {
 public:
  struct Target {
    /// The loop that the next connection will live on.
    std::function<boost::asio::io_context&()> next_loop;
    /// Takes a connection whose socket belongs to that loop; called on the accepting loop.
    std::function<void(boost::asio::io_context&, boost::asio::ip::tcp::socket, Peer)> hand_over;
  };

  /// `acceptor` comes from listen(), on the loop that accepts.
  Listener(std::string name, boost::asio::ip::tcp::acceptor acceptor, Admission& admission,
           const protocol::Clock& clock, Target target);

  void start();
  /// There is room again under max.connections.
  void resume();
  void close();

  const std::string& name() const { return name_; }
  /// The address that is really bound, as HOST:PORT.
  std::string bound_address() const;
  std::uint16_t bound_port() const;

 private:
  boost::asio::awaitable<void> accept_all();
  boost::asio::awaitable<void> wait_for_room();
  boost::asio::awaitable<void> pause(const boost::system::error_code& error);
  boost::asio::awaitable<void> pause_for(std::chrono::nanoseconds length);
  void take(boost::asio::io_context& loop, boost::asio::ip::tcp::socket socket);

  const std::string name_;
  Admission& admission_;
  const protocol::Clock& clock_;
  const Target target_;
  LogRate refusal_rate_;
  LogRate error_rate_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer room_;  // never expires; cancelled when there is room
  boost::asio::steady_timer pause_;
};

}  // namespace braid::broker
