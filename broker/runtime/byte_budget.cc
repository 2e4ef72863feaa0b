#include "broker/runtime/byte_budget.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "protocol/base/check.h"

namespace braid::broker {

bool ByteBudget::try_take(std::size_t bytes) { return !is_short() && take_if_it_fits(bytes, 0); }

/// For 0 bytes there must be one.
bool ByteBudget::take_if_it_fits(std::size_t bytes, std::size_t held_in_line) {
  std::size_t used = used_bytes_.load();
  do {
    const bool fits = bytes == 0 ? used < limit_bytes_ : used + bytes <= limit_bytes_;
    const bool nobody_would_give_back = used <= held_in_line;
    if (!fits && !nobody_would_give_back) return false;
  } while (!used_bytes_.compare_exchange_weak(used, used + bytes));
  return true;
}

std::size_t ByteBudget::take_up_to(std::size_t bytes_max) {
  if (is_short()) return 0;
  std::size_t used = used_bytes_.load(std::memory_order_relaxed);
  std::size_t taken = 0;
  do {
    taken = std::min(bytes_max, used < limit_bytes_ ? limit_bytes_ - used : 0);
  } while (!used_bytes_.compare_exchange_weak(used, used + taken));
  return taken;
}

void ByteBudget::force(std::size_t bytes) { used_bytes_.fetch_add(bytes); }

void ByteBudget::give_back(std::size_t bytes) {
  const std::size_t before = used_bytes_.fetch_sub(bytes);
  protocol::check(before >= bytes, "only bytes that were taken are given back");
  // Who joins the line looks again afterwards: one of the two sees the other.
  if (waiting_count_.load() > 0) grant();
}

void ByteBudget::wait(std::size_t bytes, std::size_t held_bytes, boost::asio::io_context& loop,
                      std::function<void()> granted) {
  {
    const std::lock_guard lock(mutex_);
    line_.push_back({bytes, held_bytes, &loop, std::move(granted)});
    held_in_line_bytes_ += held_bytes;
    waiting_count_.fetch_add(1);
  }
  grant();
}

void ByteBudget::end_waiting() {
  const std::lock_guard lock(mutex_);
  line_.clear();
  waiting_count_.store(0);
}

void ByteBudget::grant() {
  const std::lock_guard lock(mutex_);
  while (!line_.empty() && take_if_it_fits(line_.front().bytes, held_in_line_bytes_)) {
    held_in_line_bytes_ -= line_.front().held_bytes;
    boost::asio::post(*line_.front().loop, std::move(line_.front().granted));
    line_.pop_front();
    waiting_count_.fetch_sub(1);
  }
}

}  // namespace braid::broker
