#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace braid::broker {

/// The single-threaded owner of a shard's partitions. Not a thread: it is pinned to a loop. A job runs to its end
/// without waiting, and what it found true stays true to its last line. Any thread may hand over jobs.
class Lane {
 public:
  /// The loop outlives it.
  explicit Lane(boost::asio::io_context& loop) : loop_(loop) {}

  /// The caller is a job of this lane, or may act as one.
  bool here() const { return loop_.get_executor().running_in_this_thread(); }

  /// At once from its own loop, in order of arrival from others.
  template <class Job>
  void run(Job&& job) {
    if (here()) {
      job();
    } else {
      boost::asio::post(loop_, std::forward<Job>(job));
    }
  }

  boost::asio::io_context& loop() { return loop_; }

 private:
  boost::asio::io_context& loop_;
};

}  // namespace braid::broker
