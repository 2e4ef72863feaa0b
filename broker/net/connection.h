#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/net/session.h"
#include "broker/runtime/byte_budget.h"
#include "protocol/base/bytes.h"
#include "protocol/base/clock.h"

namespace braid::broker {

/// Who accepted a connection, and from where it came.
struct Peer {
  std::string listener;
  std::string address;  // without the port: what limits are counted by
  std::uint16_t port = 0;
};

/// Drives a Session over a socket: reads when it wants input, sends what is ready, closes when it has ended. Lives on
/// one loop; keeps itself alive while it runs.
class Connection : public ReplySink, public std::enable_shared_from_this<Connection> {
 public:
  /// `scratch` is the loop's, for reads that nobody else has begun; all references outlive the connection.
  Connection(boost::asio::ip::tcp::socket socket, Peer peer, const ConnectionSettings& settings, Dispatcher& dispatcher,
             const protocol::Clock& clock, protocol::MutableBytes scratch);
  /// Once, before run(); a shared pointer owns it by then.
  void identify(boost::asio::io_context& loop);

  /// Runs until the connection is closed.
  boost::asio::awaitable<void> run();

  void complete(ReplySlot slot, Completion completion) override;
  void took_effect(ReplySlot slot) override;

  /// Ends it when its deadline has passed.
  void check_deadline(protocol::Instant now);
  /// Takes no more requests, sends the replies under way, closes.
  void drain();
  /// Closes at once.
  void abort(std::string reason);

  const Peer& peer() const { return peer_; }
  const Session& session() const { return session_; }

 private:
  boost::asio::awaitable<void> read_once();
  boost::asio::awaitable<void> wait_for_room();
  boost::asio::awaitable<void> wait_for_memory();
  /// Sends what is ready, as far as the socket takes it, and closes it when all is done.
  void settle();
  /// At the end of this turn, once for all that completes in it.
  void settle_soon();
  /// False: the socket takes no more for now.
  bool send_ready();
  void send_when_writable();
  /// Closes once the client has what was sent, or at once when it has.
  void finish();
  boost::asio::awaitable<void> linger();
  /// Takes some of what has come and drops it; how many bytes, or none when the client is gone.
  std::optional<std::size_t> discard_input();
  void close();

  boost::asio::ip::tcp::socket socket_;
  const Peer peer_;
  const protocol::Clock& clock_;
  const protocol::MutableBytes scratch_;
  boost::asio::steady_timer room_;  // never expires: cancelled when the session wants input again, or is over
  ByteBudget& request_bytes_;
  ByteBudget& fetch_bytes_;
  boost::asio::io_context* loop_ = nullptr;
  bool waits_for_memory_ = false;
  bool waits_for_writable_ = false;
  bool finishing_ = false;
  bool settles_soon_ = false;
  Session session_;
};

}  // namespace braid::broker
