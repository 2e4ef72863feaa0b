#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>

namespace braid::broker {

/// SIGTERM and SIGINT ask for a stop, each time they come; SIGHUP is logged and changes nothing. On the loop's thread.
class StopSignals {
 public:
  /// `asked` gets 1 for the first signal, 2 for the second …
  StopSignals(boost::asio::io_context& loop, std::function<void(int)> asked);

 private:
  void wait();
  void handle(int signal);

  boost::asio::signal_set signals_;
  const std::function<void(int)> asked_;
  int asked_count_ = 0;
};

}  // namespace braid::broker
