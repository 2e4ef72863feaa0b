#pragma once

#include <cstdint>
#include <span>

#include "broker/api/api_table.h"
#include "broker/api/loop_tools.h"
#include "broker/api/request.h"
#include "broker/observe/request_counters.h"
#include "broker/runtime/byte_budget.h"
#include "protocol/base/arena.h"
#include "protocol/base/bytes.h"

namespace braid::broker {

/// The connection that a request came on.
struct Caller {
  ClientFacts& client;
  const ReplyAddress& address;
  ReplySlot slot;
};

/// Takes a request's frame to its handler by the API table. Owned by one loop; one thread. Broker and node outlive it.
class Dispatcher {
 public:
  Dispatcher(std::span<const ServedApi> apis, const BrokerFacts& broker, Node& node)
      : apis_(apis), broker_(broker), node_(node) {}

  /// The request may start while earlier ones of its connection are unanswered, if they may as well.
  bool overlaps(protocol::ByteView frame) const;
  /// What is counted of the request, which is taken up now.
  RequestTrack track(protocol::ByteView frame) const;
  /// Never keeps anything of `frame`; a handler may change it.
  Answer dispatch(const Caller& caller, protocol::MutableBytes frame);

  /// Of the requests that came by this loop.
  RequestCounters& counters() { return counters_; }
  const RequestCounters& counters() const { return counters_; }
  const protocol::Clock& clock() const;
  ByteBudget& request_bytes() const;
  ByteBudget& fetch_bytes() const;

 private:
  Answer answer(const ServedApi& served, const Caller& caller, protocol::MutableBytes frame, std::int16_t version);

  const std::span<const ServedApi> apis_;
  const BrokerFacts& broker_;
  Node& node_;
  protocol::Arena arena_;  // of the request being handled
  LoopTools tools_;
  RequestCounters counters_;
};

}  // namespace braid::broker
