#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace braid::broker {

/// Memory that many share, counted in bytes. Whoever finds none waits in line, and nobody passes those who wait. The
/// bound holds but for what was forced, and for the first in line when all that is used is held by the line itself:
/// then nobody would ever give anything back. Any thread; taking and giving back cost one addition while nobody waits.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  /// False: there is too little, or others wait. 0 bytes: whether there is any.
  bool try_take(std::size_t bytes);
  /// As many as there are, up to `bytes_max`; 0 while others wait.
  std::size_t take_up_to(std::size_t bytes_max);
  /// What is in memory already.
  void force(std::size_t bytes);
  void give_back(std::size_t bytes);

  /// Behind those that wait: `granted` is called on `loop` when `bytes` have been taken for it. It must give them back
  /// even when nobody needs them any more. `held_bytes`: what the caller has already, and keeps while it waits.
  void wait(std::size_t bytes, std::size_t held_bytes, boost::asio::io_context& loop, std::function<void()> granted);

  /// The loops have stopped: nobody who waits is granted anything any more.
  void end_waiting();

  std::size_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  std::size_t limit_bytes() const { return limit_bytes_; }
  /// Somebody waits.
  bool is_short() const { return waiting_count_.load(std::memory_order_relaxed) > 0; }
  std::size_t waiting_count() const { return waiting_count_.load(std::memory_order_relaxed); }

 private:
  struct Waiting {
    std::size_t bytes;
    std::size_t held_bytes;
    boost::asio::io_context* loop;
    std::function<void()> granted;
  };

  bool take_if_it_fits(std::size_t bytes, std::size_t held_in_line);
  void grant();

  const std::size_t limit_bytes_;
  std::atomic<std::size_t> used_bytes_{0};
  std::atomic<std::size_t> waiting_count_{0};
  std::mutex mutex_;  // of the line, which is there only when memory is short
  std::deque<Waiting> line_;
  std::size_t held_in_line_bytes_ = 0;
};

/// Bytes of a budget, given back at the end. Moves; one thread at a time.
class ByteShare {
 public:
  ByteShare() = default;
  /// Of bytes that were taken.
  ByteShare(ByteBudget& budget, std::size_t bytes) : budget_(&budget), bytes_(bytes) {}
  ByteShare(ByteShare&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ByteShare& operator=(ByteShare&& other) noexcept {
    if (this == &other) return *this;
    reset();
    budget_ = std::exchange(other.budget_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  ~ByteShare() { reset(); }

  std::size_t bytes() const { return bytes_; }
  /// So many more were taken.
  void add(std::size_t bytes) { bytes_ += bytes; }
  /// More is forced, less is given back.
  void become(std::size_t bytes) {
    if (budget_ == nullptr) return;
    if (bytes > bytes_) budget_->force(bytes - bytes_);
    if (bytes < bytes_) budget_->give_back(bytes_ - bytes);
    bytes_ = bytes;
  }
  void reset() {
    become(0);
    budget_ = nullptr;
  }

 private:
  ByteBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace braid::broker
