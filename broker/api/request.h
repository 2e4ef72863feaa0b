#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/api/reply.h"
#include "broker/runtime/byte_budget.h"
#include "protocol/base/arena.h"
#include "protocol/base/bytes.h"
#include "protocol/base/check.h"
#include "protocol/base/result.h"
#include "protocol/messages/api.h"
#include "protocol/messages/decoded.h"
#include "protocol/messages/encoded.h"
#include "protocol/messages/header_request.h"
#include "protocol/wire/frame.h"
#include "protocol/wire/writer.h"

namespace braid::broker {

struct LoopTools;
struct Node;
struct ServedApi;

/// One feature level, as ApiVersions lists it.
struct Feature {
  std::string_view name;
  std::int16_t level_min = 0;
  std::int16_t level_max = 0;
  std::int16_t finalized_level = 0;  // 0: not finalized
};

/// Where clients of one listener are told to connect.
struct AdvertisedAddress {
  std::string listener;
  std::string host;
  std::uint16_t port = 0;
};

/// What handlers say about this broker. Immutable while it serves; any thread.
struct BrokerFacts {
  std::int32_t node_id = 0;
  std::string cluster_id;
  std::span<const Feature> features;
  std::vector<AdvertisedAddress> addresses{};
  std::string rack{};     // empty: none
  std::string log_dir{};  // empty: records are kept in memory

  /// Of the listener that a client came by: others may not be reachable for it. The first one's for an unknown name.
  const AdvertisedAddress& address_for(std::string_view listener) const;
};

/// What is known of a client. Owned by its connection.
struct ClientFacts {
  std::string software_name;  // at most kSoftwareNameBytesMax, as is the version
  std::string software_version;
  std::string listener;
  std::string host;  // its address, without the port
};

/// What a reply needs of its request.
struct ReplyHead {
  const protocol::Api* api = nullptr;
  std::int16_t version = 0;
  std::int32_t correlation_id = 0;
};

/// What a handler gets. Everything lives until the handler returns; what it wants to keep it copies.
struct RequestContext {
  const BrokerFacts& broker;
  ClientFacts& client;
  std::span<const ServedApi> apis;
  const protocol::Api& api;
  const protocol::RequestHeader& header;
  protocol::MutableBytes body;  // a handler may put batches right in place
  protocol::Arena& arena;
  Node& node;
  LoopTools& tools;
  ByteBudget& request_bytes;
  const ReplyAddress& address;
  ReplySlot slot;

  std::int16_t version() const { return header.request_api_version; }
  ReplyHead head() const { return {&api, header.request_api_version, header.correlation_id}; }
  /// For a handler that answers Later; once.
  ReplyPromise promise() const { return {address, slot}; }
};

/// The handler has taken the promise and will complete it.
struct Later {
  bool holds_back = false;  // requests behind it start when it is answered, or has given its notice of effect
};

/// What a handler returns.
using Answer = std::variant<Reply, NoReply, Refusal, Later>;

/// Bytes of the frame's own beginning: length, correlation id, tags of the header.
std::size_t reply_header_bytes(const ReplyHead& head);
void write_reply_header(const ReplyHead& head, std::size_t frame_bytes, protocol::Writer& out);

/// Frame, response header and body, in the request's version (ApiVersions alone also answers in another one).
/// Record batches stay where they are, as holes: whoever calls sees to it that `memory` owns them.
template <class Message>
Reply make_reply(const ReplyHead& head, const Message& message) {
  const std::size_t header_bytes = reply_header_bytes(head);
  const std::size_t size = header_bytes - protocol::kFramePrefixBytes + encoded_size(message, head.version);

  Reply reply = new_reply(header_bytes + own_size(message, head.version));
  protocol::Writer out(reply.frame, &reply.holes);
  write_reply_header(head, size, out);
  encode(message, head.version, out);
  protocol::check(out.position() == reply.frame.size(), "the size computed for a reply is the size written");
  tally_errors(message, reply.errors);
  return reply;
}

/// A request that outlives its frame, for handlers that wait. Owned by whoever answers it.
template <class Message>
struct KeptRequest {
  ReplyHead head;
  ReplyPromise promise;
  ClientFacts client;
  std::string client_id;
  protocol::Bytes body;
  ByteShare held;
  protocol::Arena arena;  // its arrays, and what the answer needs
  Message message;

  template <class Response>
  void reply(const Response& response) {
    promise.complete(make_reply(head, response));
  }
};

/// Copies and decodes the request.
template <class Message>
protocol::Result<std::unique_ptr<KeptRequest<Message>>> keep(const RequestContext& context) {
  auto kept = std::make_unique<KeptRequest<Message>>();
  kept->head = context.head();
  kept->client = context.client;
  kept->client_id = context.header.client_id.value_or("");
  kept->body.assign(context.body.begin(), context.body.end());
  kept->held = ByteShare(context.request_bytes, 0);
  kept->held.become(kept->body.size());
  protocol::Reader in(kept->body);
  TRY_DO(protocol::decode(in, context.version(), kept->arena, kept->message));
  kept->promise = context.promise();
  return kept;
}

}  // namespace braid::broker
