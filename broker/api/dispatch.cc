#include "broker/api/dispatch.h"

#include <utility>

#include "broker/api/node.h"
#include "protocol/wire/reader.h"

namespace braid::broker {
namespace {

Refusal refuse(std::string reason, std::int16_t key, std::int16_t version) {
  return {std::move(reason) + " (key " + std::to_string(key) + ", version " + std::to_string(version) + ")"};
}

}  // namespace

bool Dispatcher::overlaps(protocol::ByteView frame) const {
  const ServedApi* served = find_served(apis_, protocol::Reader(frame).i16());
  return served != nullptr && served->overlaps;
}

const protocol::Clock& Dispatcher::clock() const { return node_.clock; }

ByteBudget& Dispatcher::request_bytes() const { return node_.request_bytes; }
ByteBudget& Dispatcher::fetch_bytes() const { return node_.fetch_bytes; }

RequestTrack Dispatcher::track(protocol::ByteView frame) const {
  protocol::Reader start(frame);
  RequestTrack track;
  const std::int16_t key = start.i16();
  const std::int16_t version = start.i16();
  const ServedApi* served = find_served(apis_, key);
  if (served == nullptr || !start.ok()) return track;  // it will not be answered
  track.key = key;
  track.version = served->serves(version) ? version : std::int16_t{0};
  track.request_bytes = frame.size() + protocol::kFramePrefixBytes;
  track.started_at = clock().now();
  return track;
}

Answer Dispatcher::dispatch(const Caller& caller, protocol::MutableBytes frame) {
  protocol::Reader start(frame);
  const std::int16_t key = start.i16();
  const std::int16_t version = start.i16();
  if (!start.ok()) return Refusal{"a frame of " + std::to_string(frame.size()) + " bytes has no request header"};

  const ServedApi* served = find_served(apis_, key);
  if (served == nullptr) return refuse("a request that is not served", key, version);
  if (!served->serves(version) && !served->answers_any_version)
    return refuse("a version that is not served", key, version);
  return answer(*served, caller, frame, version);
}

Answer Dispatcher::answer(const ServedApi& served, const Caller& caller, protocol::MutableBytes frame,
                          std::int16_t version) {
  const std::int16_t key = static_cast<std::int16_t>(served.api->key);
  // What follows the client id in a header of a version that is not known is not known either.
  constexpr std::int16_t kPlainHeader = 1;
  const std::int16_t header_version =
      served.serves(version) ? served.api->request_header_version(version) : kPlainHeader;
  protocol::Reader in(frame);
  protocol::RequestHeader header;
  if (const auto read = protocol::decode(in, header_version, arena_, header); read.has_error()) {
    arena_.reset();
    return refuse("a malformed request header: " + read.error().message(), key, version);
  }
  RequestContext context{
      broker_, caller.client, apis_,  *served.api,         header,         frame.last(in.remaining()),
      arena_,  node_,         tools_, node_.request_bytes, caller.address, caller.slot};
  protocol::Result<Answer> answered = served.handler(context);
  arena_.reset();
  if (answered.has_error()) return refuse("a malformed request: " + answered.error().message(), key, version);
  return *std::move(answered);
}

}  // namespace braid::broker
