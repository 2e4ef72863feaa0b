#include "broker/net/reply_queue.h"

#include <algorithm>
#include <utility>

#include "protocol/base/check.h"

namespace braid::broker {

using protocol::check;
using protocol::Instant;

ReplySlot ReplyQueue::reserve(const RequestTrack& track) {
  constexpr std::size_t kFirstSlots = 1;  // most connections are idle, or have one request at a time
  if (slots_.full()) slots_.set_capacity(std::max(kFirstSlots, 2 * slots_.capacity()));
  Slot slot;
  slot.track = track;
  slots_.push_back(std::move(slot));
  ++unfulfilled_count_;
  return ReplySlot(first_slot_ + slots_.size() - 1);
}

void ReplyQueue::handled(ReplySlot slot, Instant now) {
  if (slot.value >= first_slot_) slots_[slot.value - first_slot_].track.handled_at = now;
}

void ReplyQueue::fulfil(ReplySlot slot, Reply reply, Instant now) {
  check(slot.value >= first_slot_ && slot.value - first_slot_ < slots_.size(), "the slot was reserved and is not sent");
  Slot& place = slots_[slot.value - first_slot_];
  check(!place.ready, "a slot is fulfilled once");
  place.ready = true;
  place.reply = std::move(reply);
  place.size_bytes = place.reply.size_bytes();
  place.track.ready_at = now;
  queued_bytes_ += place.size_bytes;
  --unfulfilled_count_;
  if (slot.value == first_slot_) look_at_first(now);
}

void ReplyQueue::skip(ReplySlot slot, Instant now) { fulfil(slot, Reply{}, now); }

std::size_t ReplyQueue::gather(std::span<protocol::ByteView> out) const {
  std::size_t count = 0;
  std::size_t already_sent = sent_of_first_;
  for (const Slot& slot : slots_) {
    if (!slot.ready || count == out.size()) break;
    count += pieces_of(slot.reply, std::exchange(already_sent, 0), out.subspan(count));
  }
  return count;
}

std::size_t ReplyQueue::sent(std::size_t bytes, Instant now) {
  std::size_t complete = 0;
  while (bytes > 0) {
    check(has_output(), "no more is sent than was gathered");
    const std::size_t left = slots_.front().size_bytes - sent_of_first_;
    const std::size_t taken = std::min(left, bytes);
    bytes -= taken;
    sent_of_first_ += taken;
    if (taken < left) break;
    queued_bytes_ -= sent_of_first_;
    sent_of_first_ = 0;
    pop(now);
    ++complete;
    look_at_first(now);
  }
  return complete;
}

bool ReplyQueue::has_output() const { return !slots_.empty() && slots_.front().ready; }

void ReplyQueue::pop(Instant now) {
  Slot& first = slots_.front();
  counters_.done(first.track, first.size_bytes, first.reply.errors, now);
  recycle(std::move(first.reply));
  slots_.pop_front();
  ++first_slot_;
}

void ReplyQueue::look_at_first(Instant now) {
  while (!slots_.empty() && slots_.front().ready) {
    slots_.front().track.first_at = now;
    if (!slots_.front().reply.empty()) return;
    pop(now);
  }
}

}  // namespace braid::broker
