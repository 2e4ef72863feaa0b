#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace braid::broker {

/// One coroutine of a loop that waits to be woken, once; woken before or while it waits. One thread.
class Wake {
 public:
  explicit Wake(boost::asio::io_context& loop) : timer_(loop, boost::asio::steady_timer::time_point::max()) {}

  void now() {
    woken_ = true;
    timer_.cancel();
  }
  boost::asio::awaitable<void> wait() {
    if (!woken_) static_cast<void>(co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable)));
  }

 private:
  boost::asio::steady_timer timer_;  // never expires
  bool woken_ = false;
};

}  // namespace braid::broker
