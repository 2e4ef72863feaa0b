#include "broker/partition/deadlines.h"

#include <algorithm>
#include <chrono>

namespace braid::broker {
namespace {

/// A look at all of them is at most so often.
constexpr std::chrono::milliseconds kBetweenLooks{1};

}  // namespace

void Deadlines::add(Deadline& deadline, protocol::Instant due) {
  if (stopped_ || deadline.Hook::is_linked()) return;
  deadline.due = due;
  list_.push_back(deadline);
  if (!runs_until_ || due < *runs_until_) run_until(due);
}

void Deadlines::stop() {
  stopped_ = true;
  list_.clear();
  timer_.cancel();
}

void Deadlines::run_until(protocol::Instant due) {
  runs_until_ = due;
  timer_.expires_after(std::max<protocol::Instant::duration>(due - clock_.now(), kBetweenLooks));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) look();
  });
}

void Deadlines::look() {
  const protocol::Instant now = clock_.now();
  List passed;
  std::optional<protocol::Instant> next;
  for (auto each = list_.begin(); each != list_.end();) {
    Deadline& deadline = *each++;
    if (deadline.due <= now) {
      deadline.Hook::unlink();
      passed.push_back(deadline);
    } else if (!next || deadline.due < *next) {
      next = deadline.due;
    }
  }
  runs_until_.reset();
  if (next) run_until(*next);
  while (!passed.empty()) {
    Deadline& first = passed.front();
    passed.pop_front();
    first.passed();
  }
}

}  // namespace braid::broker
