#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broker/observe/error_tally.h"
#include "broker/runtime/byte_budget.h"
#include "protocol/base/bytes.h"
#include "protocol/base/strong_int.h"
#include "protocol/wire/writer.h"

namespace braid::broker {

/// A whole frame, ready to be sent. Record batches are not copied into it: they are holes that lie in `memory`.
struct Reply {
  protocol::Bytes frame;              // own bytes
  std::vector<protocol::Hole> holes;  // by rising place
  std::vector<protocol::Bytes> memory;
  ErrorTally errors{};  // that it tells, for the metrics
  ByteShare share{};    // of the memory for fetches

  bool empty() const { return frame.empty(); }
  std::size_t size_bytes() const;
};

/// An empty reply with a frame of so many bytes, in memory of one that this thread has recycled, if there is any.
Reply new_reply(std::size_t frame_bytes);
/// It has been sent: its memory is for the next.
void recycle(Reply&& reply);

/// Shows the reply's bytes from `skip` on as at most `out.size()` pieces; how many were set.
std::size_t pieces_of(const Reply& reply, std::size_t skip, std::span<protocol::ByteView> out);

/// The request has no answer: a Produce with acks=0.
struct NoReply {};

/// The connection must be closed: what came can't be answered.
struct Refusal {
  std::string reason;  // for the log
};

/// How a request ends.
using Completion = std::variant<Reply, NoReply, Refusal>;

/// The place of a request's reply among those of its connection.
using ReplySlot = protocol::StrongInt<struct ReplySlotTag, std::uint64_t>;

/// Takes the completions of one connection, on its loop.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  /// Once a slot, in any order.
  virtual void complete(ReplySlot slot, Completion completion) = 0;
  /// The request, which held back those behind it, has had its effect; they may start. Its answer may come later.
  virtual void took_effect(ReplySlot slot) = 0;
};

/// Where the replies of a connection go. Copies are cheap; a connection that is gone is found out when it is too late.
struct ReplyAddress {
  std::weak_ptr<ReplySink> sink;
  boost::asio::io_context* loop = nullptr;  // the sink's
};

/// Says, from any thread, that a request has had its effect. Copies are cheap.
class EffectNotice {
 public:
  EffectNotice(ReplyAddress address, ReplySlot slot) : address_(std::move(address)), slot_(slot) {}
  void give() const;

 private:
  ReplyAddress address_;
  ReplySlot slot_;
};

/// The duty to end one request, later and from anywhere. Moves, never copies. One that is dropped leaves the client
/// without an answer for the rest of the connection: only a stopping broker does that.
class ReplyPromise {
 public:
  ReplyPromise() = default;
  ReplyPromise(ReplyAddress address, ReplySlot slot) : address_(std::move(address)), slot_(slot) {}
  ReplyPromise(ReplyPromise&&) = default;
  ReplyPromise& operator=(ReplyPromise&&) = default;

  /// Any thread, once.
  void complete(Completion completion);
  /// For a request that holds back those behind it.
  EffectNotice effect_notice() const { return {address_, slot_}; }

 private:
  ReplyAddress address_;
  ReplySlot slot_;
};

}  // namespace braid::broker
