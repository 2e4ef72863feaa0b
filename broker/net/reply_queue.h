#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "broker/api/reply.h"
#include "broker/observe/request_counters.h"
#include "protocol/base/bytes.h"

namespace braid::broker {

/// Replies of one connection leave in the order of its requests, whatever the order in which they become ready. A pure
/// state machine: whoever owns the socket sends what gather() shows. One thread.
class ReplyQueue {
 public:
  /// `counters` outlive it: each request is counted when it is over.
  explicit ReplyQueue(RequestCounters& counters) : counters_(counters) {}

  /// In the order in which requests arrive.
  ReplySlot reserve(const RequestTrack& track = {});
  /// The handler of the request has returned; its reply may have left already.
  void handled(ReplySlot slot, protocol::Instant now);
  /// Once a slot, in any order.
  void fulfil(ReplySlot slot, Reply reply, protocol::Instant now = {});
  /// The request has no reply.
  void skip(ReplySlot slot, protocol::Instant now = {});

  /// Bytes that may leave now, in order, as at most `out.size()` buffers; how many were set. Valid until the next call
  /// that is not const.
  std::size_t gather(std::span<protocol::ByteView> out) const;
  /// So many of the gathered bytes have left. Returns how many replies are now complete.
  std::size_t sent(std::size_t bytes, protocol::Instant now = {});

  bool has_output() const;
  std::size_t in_flight() const { return slots_.size(); }         // reserved and not yet sent whole
  std::size_t unfulfilled() const { return unfulfilled_count_; }  // of them, not ready
  std::size_t queued_bytes() const { return queued_bytes_; }      // of replies that are ready

 private:
  struct Slot {
    bool ready = false;
    Reply reply;                 // empty when ready: there is none
    std::size_t size_bytes = 0;  // of it
    RequestTrack track;
  };

  void pop(protocol::Instant now);
  /// The first in line is another one: what is skipped is passed over.
  void look_at_first(protocol::Instant now);

  RequestCounters& counters_;

  // Grows to what is in flight, kRequestsInFlightMax at most, and holds no memory before the first request.
  boost::circular_buffer<Slot> slots_;
  std::uint64_t first_slot_ = 0;   // number of slots_.front()
  std::size_t sent_of_first_ = 0;  // bytes
  std::size_t unfulfilled_count_ = 0;
  std::size_t queued_bytes_ = 0;
};

}  // namespace braid::broker
