#pragma once

#include <string>

#include "broker/api/node.h"
#include "broker/api/request.h"
#include "broker/groups/group_coordinator.h"
#include "broker/groups/group_requests.h"

namespace braid::broker {

/// Ends a request to groups: with its answer when nothing that it tells can be lost any more, GroupLog::durable(). When
/// the disk has failed nothing may be told, and the connection closes.
template <class Message, class Response>
void reply_if_durable(bool durable, KeptRequest<Message>& request, const Response& response) {
  if (durable) {
    request.reply(response);
  } else {
    request.promise.complete(Refusal{"what the answer tells could not be made durable"});
  }
}

/// A client's address as Kafka's records and tools show it: Java writes a slash before it.
inline std::string shown_host(const ClientFacts& client) { return "/" + client.host; }

}  // namespace braid::broker
