#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <utility>

namespace braid::broker {

/// A few threads for what would hold a loop up: reads that wait for the disk. They touch nothing that a lane owns.
class Workers {
 public:
  explicit Workers(std::size_t threads) : pool_(threads) {}

  /// Any thread.
  template <class Work>
  void run(Work&& work) {
    boost::asio::post(pool_, std::forward<Work>(work));
  }
  /// Waits for what runs, drops what is queued.
  void stop() {
    pool_.stop();
    pool_.join();
  }

 private:
  boost::asio::thread_pool pool_;
};

}  // namespace braid::broker
