#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "broker/api/api_table.h"
#include "broker/api/request.h"
#include "protocol/base/arena.h"
#include "protocol/base/bytes.h"

namespace braid::broker {

/// The connection must be closed: what came can't be answered.
struct Refusal {
  std::string reason;  // for the log
};
using Outcome = std::variant<Reply, Refusal>;

/// Takes a request's frame to its handler by the API table. Owned by one loop; one thread. `broker` outlives it.
class Dispatcher {
 public:
  Dispatcher(std::span<const ServedApi> apis, const BrokerFacts& broker) : apis_(apis), broker_(broker) {}

  /// Never keeps anything of `frame`.
  Outcome dispatch(ClientFacts& client, protocol::ByteView frame);

 private:
  Outcome answer(const ServedApi& served, ClientFacts& client, protocol::ByteView frame, std::int16_t version);

  const std::span<const ServedApi> apis_;
  const BrokerFacts& broker_;
  protocol::Arena arena_;  // of the request being handled
};

}  // namespace braid::broker
