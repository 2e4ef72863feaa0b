#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace braid::broker {

/// One thread's event loop. Connections live on one for life. What runs in it never waits for a disk or a lock.
class Loop {
 public:
  Loop() : context_(kOneThread), keep_running_(context_.get_executor()) {}

  boost::asio::io_context& context() { return context_; }
  /// On the loop's thread, until stop().
  void run() { context_.run(); }
  /// From any thread; what is queued is not run any more.
  void stop() { context_.stop(); }

 private:
  static constexpr int kOneThread = 1;

  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> keep_running_;
};

}  // namespace braid::broker
