#include "broker/net/connection.h"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <span>
#include <utility>

#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

bool would_block(const error_code& error) {
  return error == asio::error::would_block || error == asio::error::try_again;
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, Peer peer, const ConnectionSettings& settings,
                       Dispatcher& dispatcher, const protocol::Clock& clock, protocol::MutableBytes scratch)
    : socket_(std::move(socket)),
      peer_(std::move(peer)),
      clock_(clock),
      scratch_(scratch),
      room_(socket_.get_executor(), asio::steady_timer::time_point::max()),
      session_(settings, dispatcher, clock.now()) {}

asio::awaitable<void> Connection::run() {
  while (socket_.is_open()) {
    if (session_.wants_input()) {
      co_await read_once();
    } else {
      co_await wait_for_room();
    }
  }
}

asio::awaitable<void> Connection::read_once() {
  const auto [wait_error] = co_await socket_.async_wait(asio::socket_base::wait_read, kAsTuple);
  if (wait_error || !session_.wants_input()) co_return;

  const protocol::MutableBytes own = session_.own_room();
  const protocol::MutableBytes into = own.empty() ? scratch_ : own;
  error_code error;
  const std::size_t bytes = socket_.read_some(asio::buffer(into.data(), into.size()), error);
  if (would_block(error)) co_return;
  if (error) {
    session_.end({false, error == asio::error::eof ? "the client closed it" : error.message()});
  } else if (own.empty()) {
    session_.received_elsewhere(into.first(bytes), clock_.now());
  } else {
    session_.received_in_room(bytes, clock_.now());
  }
  settle();
}

asio::awaitable<void> Connection::wait_for_room() {
  static_cast<void>(co_await room_.async_wait(kAsTuple));  // cancelling it is how it is woken
}

void Connection::settle() {
  const bool all_sent = send_ready();
  if (session_.ending() || session_.drained()) {
    close();
  } else if (!all_sent) {
    send_when_writable();
  }
}

bool Connection::send_ready() {
  while (session_.replies().has_output()) {
    std::array<protocol::ByteView, protocol::kGatheredRepliesMax> ready;
    const std::size_t count = session_.replies().gather(ready);
    std::array<asio::const_buffer, protocol::kGatheredRepliesMax> buffers;
    for (std::size_t i = 0; i < count; ++i) buffers[i] = asio::buffer(ready[i].data(), ready[i].size());

    error_code error;
    const std::size_t bytes = socket_.write_some(std::span(buffers).first(count), error);
    if (would_block(error)) return false;
    if (error) {
      session_.end({false, error.message()});
      return true;
    }
    session_.sent(bytes, clock_.now());
  }
  return true;
}

void Connection::send_when_writable() {
  if (waits_for_writable_) return;
  waits_for_writable_ = true;
  socket_.async_wait(asio::socket_base::wait_write, [self = shared_from_this()](const error_code& error) {
    self->waits_for_writable_ = false;
    if (error) return;
    self->settle();
    if (self->session_.wants_input()) self->room_.cancel();
  });
}

void Connection::check_deadline(protocol::Instant now) {
  const auto deadline = session_.deadline();
  if (!deadline || now < *deadline) return;
  abort("nothing whole came or went before its deadline");
}

void Connection::drain() {
  session_.drain();
  settle();
}

void Connection::abort(std::string reason) {
  session_.end({false, std::move(reason)});
  close();
}

void Connection::close() {
  error_code ignored;  // it is over for us, whatever the kernel says
  socket_.close(ignored);
  room_.cancel();
}

}  // namespace braid::broker
