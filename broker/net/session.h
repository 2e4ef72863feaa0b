#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "broker/api/dispatch.h"
#include "broker/api/request.h"
#include "broker/config/settings.h"
#include "broker/net/receive_buffer.h"
#include "broker/net/reply_queue.h"
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
class Session {
 public:
  Session(const ConnectionSettings& settings, Dispatcher& dispatcher, protocol::Instant now)
      : settings_(settings),
        dispatcher_(dispatcher),
        opened_at_(now),
        last_whole_at_(now),
        replies_(dispatcher.counters()) {}

  /// Before the first byte comes: where completions are sent, and who the client is.
  void identify(ReplyAddress address, std::string listener, std::string host);

  /// Bytes may be read from the socket.
  bool wants_input() const;
  /// Where to read them while a frame is incomplete; empty: anywhere, and then received_elsewhere().
  protocol::MutableBytes own_room();
  void received_in_room(std::size_t bytes, protocol::Instant now);
  void received_elsewhere(protocol::MutableBytes bytes, protocol::Instant now);

  const ReplyQueue& replies() const { return replies_; }
  /// A request that was promised an answer has ended.
  void complete(ReplySlot slot, Completion completion, protocol::Instant now);
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
  void end_at_bad_length(std::int32_t claimed_bytes);

  const ConnectionSettings& settings_;
  Dispatcher& dispatcher_;
  const protocol::Instant opened_at_;
  protocol::Instant last_whole_at_;  // a request was whole, or a reply had left whole
  bool had_request_ = false;
  bool draining_ = false;
  bool frame_waits_ = false;                     // a whole frame is held back in received_
  std::optional<protocol::Instant> held_since_;  // the first of those
  bool last_overlaps_ = true;                    // the request that was started last
  std::size_t missing_bytes_ = 0;                // of the frame whose beginning is in received_
  ReceiveBuffer received_;
  ReplyQueue replies_;
  ReplyAddress address_;
  ClientFacts client_;
  std::optional<Ending> ending_;
};

}  // namespace braid::broker
