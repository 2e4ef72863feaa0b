#include "broker/net/connection.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
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

/// Bytes, and one for the end mark, that the client's kernel has not confirmed yet.
int unconfirmed_bytes(asio::ip::tcp::socket& socket) {
  int bytes = 0;
  return ::ioctl(socket.native_handle(), SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, Peer peer, const ConnectionSettings& settings,
                       Dispatcher& dispatcher, const protocol::Clock& clock, protocol::MutableBytes scratch)
    : socket_(std::move(socket)),
      peer_(std::move(peer)),
      clock_(clock),
      scratch_(scratch),
      room_(socket_.get_executor(), asio::steady_timer::time_point::max()),
      request_bytes_(dispatcher.request_bytes()),
      fetch_bytes_(dispatcher.fetch_bytes()),
      session_(settings, dispatcher, clock.now()) {}

void Connection::identify(asio::io_context& loop) {
  loop_ = &loop;
  session_.identify({weak_from_this(), &loop}, peer_.listener, peer_.address);
}

void Connection::complete(ReplySlot slot, Completion completion) {
  session_.complete(slot, std::move(completion), clock_.now());
  settle_soon();
}

void Connection::took_effect(ReplySlot slot) {
  session_.took_effect(slot);
  settle_soon();
}

void Connection::settle_soon() {
  if (settles_soon_) return;
  settles_soon_ = true;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->settles_soon_ = false;
    if (!self->socket_.is_open()) return;
    self->session_.resume(self->clock_.now());
    self->settle();
    if (self->session_.wants_input()) self->room_.cancel();
  });
}

asio::awaitable<void> Connection::run() {
  while (socket_.is_open()) {
    if (finishing_) {
      co_await linger();
    } else if (session_.wants_input()) {
      co_await read_once();
    } else {
      co_await wait_for_room();
    }
  }
}

asio::awaitable<void> Connection::read_once() {
  const auto [wait_error] = co_await socket_.async_wait(asio::socket_base::wait_read, kAsTuple);
  if (wait_error || !session_.wants_input()) co_return;
  if (!session_.take_memory(clock_.now())) {
    co_await wait_for_memory();
    if (!socket_.is_open() || !session_.wants_input()) co_return;
  }

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

/// Others have the memory: this client is not read until its turn has come.
asio::awaitable<void> Connection::wait_for_memory() {
  const std::size_t bytes = session_.lacking_bytes();
  waits_for_memory_ = true;
  request_bytes_.wait(bytes, session_.held_bytes(), *loop_, [weak = weak_from_this(), bytes, &budget = request_bytes_] {
    const auto self = weak.lock();
    if (!self) return budget.give_back(bytes);
    self->waits_for_memory_ = false;
    self->session_.took_memory(bytes, self->clock_.now());
    self->room_.cancel();
  });
  while (waits_for_memory_ && socket_.is_open() && !finishing_)
    static_cast<void>(co_await room_.async_wait(kAsTuple));  // cancelling it is how it is woken
}

void Connection::settle() {
  const bool all_sent = send_ready();
  if (session_.ending() || session_.drained()) {
    finish();
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

// A kernel that closes a socket over input that nobody read, or that gets more of it afterwards, resets the connection:
// the client may lose replies that we count as sent.
void Connection::finish() {
  if (finishing_) return;
  error_code error;
  const bool all_is_said = unconfirmed_bytes(socket_) == 0 && socket_.available(error) == 0;
  if (!all_is_said) socket_.shutdown(asio::socket_base::shutdown_send, error);
  if (all_is_said || error) {
    close();
    return;
  }
  finishing_ = true;
  socket_.cancel(error);  // wakes run() where it waits for input
  room_.cancel();
}

asio::awaitable<void> Connection::linger() {
  asio::steady_timer pause(socket_.get_executor());
  std::chrono::milliseconds length{1};  // nothing tells when the last byte is confirmed
  std::chrono::milliseconds waited{0};
  constexpr int kEndMarkOnly = 1;
  while (socket_.is_open() && waited < std::chrono::milliseconds(protocol::kCloseLingerMsMax)) {
    const std::optional<std::size_t> dropped = discard_input();
    if (!dropped || (*dropped == 0 && unconfirmed_bytes(socket_) <= kEndMarkOnly)) break;
    pause.expires_after(length);
    static_cast<void>(co_await pause.async_wait(kAsTuple));  // nobody cancels it
    waited += length;
    length = *dropped > 0 ? std::chrono::milliseconds{1}
                          : std::min(2 * length, std::chrono::milliseconds(protocol::kClosePollMsMax));
  }
  close();
}

std::optional<std::size_t> Connection::discard_input() {
  error_code error;
  const std::size_t dropped = socket_.read_some(asio::buffer(scratch_.data(), scratch_.size()), error);
  if (!error || would_block(error) || error == asio::error::eof) return dropped;  // its side may be over, ours not
  return std::nullopt;
}

void Connection::check_deadline(protocol::Instant now) {
  if (request_bytes_.is_short() && session_.wastes_memory(now))
    return abort("its request comes too slowly while memory is short");
  if (fetch_bytes_.is_short() && session_.takes_too_slowly(now))
    return abort("it takes its answers too slowly while memory is short");
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
