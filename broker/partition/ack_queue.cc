#include "broker/partition/ack_queue.h"

#include "protocol/base/check.h"

namespace braid::broker {

void AckQueue::push(const Entry& entry) {
  protocol::check(entries_.empty() || entries_.back().position <= entry.position,
                  "what waits for the log is queued in its order");
  if (entries_.full()) entries_.set_capacity(2 * entries_.capacity());
  entries_.push_back(entry);
}

bool AckQueue::pop(storage::LogPosition reached, Entry& out) {
  return !entries_.empty() && entries_.front().position <= reached && pop_any(out);
}

bool AckQueue::pop_any(Entry& out) {
  if (entries_.empty()) return false;
  out = entries_.front();
  entries_.pop_front();
  return true;
}

}  // namespace braid::broker
