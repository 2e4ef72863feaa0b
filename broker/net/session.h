#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "broker/api/dispatch.h"
#include "broker/api/request.h"
#include "broker/config/settings.h"
#include "broker/net/receive_buffer.h"
#include "broker/net/reply_queue.h"
#include "broker/runtime/byte_budget.h"
#include "protocol/base/bytes.h"
#include "protocol/base/clock.h"

namespace braid::broker {

/// Why a session is over.
struct Ending {
  bool misbehaved = false;  // the client sent what can't be answered; worth a line in the log
  std::string reason;
};

/// One client's dialogue without its socket: bytes come in, frames go through the dispatcher, replies stand in order to
/// be sent. Pure; whoever owns the socket does what it says. One thread; settings and dispatcher outlive it.
///
/// It takes no more input while kRequestsInFlightMax requests are unanswered or kReplyBytesQueuedMax bytes wait to be
/// sent: that is how a slow reader is held back. Frames that came by then wait in its buffer. So does a frame behind an
/// unanswered request, unless both overlap: requests take effect one after the other, as in Kafka.
///
/// Received bytes that are kept count against the memory for requests of all connections. A frame that came in part is
/// read on when memory for the whole of it was taken: then it can always come to its end.
class Session {
 public:
  Session(const ConnectionSettings& settings, Dispatcher& dispatcher, protocol::Instant now)
      : settings_(settings),
        dispatcher_(dispatcher),
        opened_at_(now),
        last_whole_at_(now),
        replies_(dispatcher.counters()),
        held_(dispatcher.request_bytes(), 0) {}

  /// Before the first byte comes: where completions are sent, and who the client is.
  void identify(ReplyAddress address, std::string listener, std::string host);

  /// Bytes may be read from the socket.
  bool wants_input() const;
  /// Takes the memory that is needed before more is read. False: there is none, and the caller waits for
  /// lacking_bytes() of it, while held_bytes() stay with the session.
  bool take_memory(protocol::Instant now);
  std::size_t lacking_bytes() const;
  std::size_t held_bytes() const { return held_.bytes(); }
  /// The memory that was waited for has been taken.
  void took_memory(std::size_t bytes, protocol::Instant now);
  /// While memory is short: it holds some for a request that comes too slowly.
  bool wastes_memory(protocol::Instant now);
  /// While memory for answers is short: some wait for a client that takes them too slowly. Begins a new measure.
  bool takes_too_slowly(protocol::Instant now);

  /// Where to read them while a frame is incomplete; empty: anywhere, and then received_elsewhere().
  protocol::MutableBytes own_room();
  void received_in_room(std::size_t bytes, protocol::Instant now);
  void received_elsewhere(protocol::MutableBytes bytes, protocol::Instant now);

  const ReplyQueue& replies() const { return replies_; }
  /// A request that was promised an answer has ended.
  void complete(ReplySlot slot, Completion completion, protocol::Instant now);
  /// It holds back those behind it no more.
  void took_effect(ReplySlot slot);
  /// Handles frames that were held back and need not be any more.
  void resume(protocol::Instant now);
  /// So many bytes of the gathered replies have left; frames that were held back are handled now.
  void sent(std::size_t bytes, protocol::Instant now);

  /// Takes no further request. It ends when the replies under way have left.
  void drain();
  /// The first reason stays.
  void end(Ending ending);

  /// Set once nothing more is to be done than to send what is ready and close.
  const std::optional<Ending>& ending() const { return ending_; }
  bool drained() const { return draining_ && replies_.in_flight() == 0; }

  /// When it should be ended as idle if nothing happens before; none: never.
  std::optional<protocol::Instant> deadline() const;

  const ClientFacts& client() const { return client_; }
  std::size_t buffered_bytes() const { return received_.capacity_bytes(); }

 private:
  bool may_take_request() const;
  bool may_start(protocol::ByteView frame) const;
  /// Handles whole frames at the front until it may not; returns the bytes used.
  std::size_t handle_frames(protocol::MutableBytes bytes, protocol::Instant now);
  void handle_frame(protocol::MutableBytes frame, protocol::Instant now);
  void handle_received(protocol::Instant now);
  /// Holds as much as is kept now, and what was taken for a frame that came in part.
  void settle_memory();
  void end_at_bad_length(std::int32_t claimed_bytes);

  const ConnectionSettings& settings_;
  Dispatcher& dispatcher_;
  const protocol::Instant opened_at_;
  protocol::Instant last_whole_at_;  // a request was whole, or a reply had left whole
  bool had_request_ = false;
  bool draining_ = false;
  bool frame_waits_ = false;                     // a whole frame is held back in received_
  std::optional<protocol::Instant> held_since_;  // the first of those
  std::optional<ReplySlot> holds_back_;          // a request that has not had its effect yet
  bool last_overlaps_ = true;                    // the request that was started last
  std::size_t missing_bytes_ = 0;                // of the frame whose beginning is in received_
  ReceiveBuffer received_;
  ReplyQueue replies_;
  ByteShare held_;
  protocol::Instant granted_at_{};     // the memory of the frame that came in part
  std::size_t had_when_granted_ = 0;   // bytes of it
  protocol::Instant measured_from_{};  // how fast answers leave: since they began to wait, or the last measure
  std::size_t measured_bytes_ = 0;     // that have left since
  ReplyAddress address_;
  ClientFacts client_;
  std::optional<Ending> ending_;
};

}  // namespace braid::broker
