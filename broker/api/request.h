#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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

/// One feature level, as ApiVersions lists it.
struct Feature {
  std::string_view name;
  std::int16_t level_min = 0;
  std::int16_t level_max = 0;
  std::int16_t finalized_level = 0;  // 0: not finalized
};

/// What handlers say about this broker. Immutable while it serves; any thread.
struct BrokerFacts {
  std::int32_t node_id = 0;
  std::string cluster_id;
  std::span<const Feature> features;
};

/// What a client has told about itself. Owned by its connection.
struct ClientFacts {
  std::string software_name;  // at most kSoftwareNameBytesMax, as is the version
  std::string software_version;
};

struct ServedApi;

/// What a handler gets. Everything lives until the handler returns; what it wants to keep it copies.
struct RequestContext {
  const BrokerFacts& broker;
  ClientFacts& client;
  std::span<const ServedApi> apis;
  const protocol::Api& api;
  const protocol::RequestHeader& header;
  protocol::ByteView body;
  protocol::Arena& arena;

  std::int16_t version() const { return header.request_api_version; }
};

/// A whole frame, ready to be sent.
struct Reply {
  protocol::Bytes frame;
};

/// Frame, response header and body. `version` is the body's; it differs from the request's only where ApiVersions
/// answers a version that it does not know.
template <class Message>
Reply make_reply(const RequestContext& context, const Message& message, std::int16_t version) {
  const bool with_tags = context.api.response_header_version(version) == 1;
  const std::size_t header_bytes = sizeof context.header.correlation_id + (with_tags ? 1 : 0);
  const std::size_t size = header_bytes + encoded_size(message, version);

  Reply reply{protocol::Bytes(protocol::kFramePrefixBytes + size)};
  protocol::Writer out(reply.frame);
  out.i32(static_cast<std::int32_t>(size));
  out.i32(context.header.correlation_id);
  if (with_tags) out.unsigned_varint(0);
  encode(message, version, out);
  protocol::check(out.position() == reply.frame.size(), "the size computed for a reply is the size written");
  return reply;
}

}  // namespace braid::broker
