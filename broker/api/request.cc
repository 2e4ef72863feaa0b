#include "broker/api/request.h"

#include <algorithm>

namespace braid::broker {

const AdvertisedAddress& BrokerFacts::address_for(std::string_view listener) const {
  protocol::check(!addresses.empty(), "a broker that answers has an address");
  const auto found = std::ranges::find(addresses, listener, &AdvertisedAddress::listener);
  return found != addresses.end() ? *found : addresses.front();
}

std::size_t reply_header_bytes(const ReplyHead& head) {
  const bool with_tags = head.api->response_header_version(head.version) == 1;
  return protocol::kFramePrefixBytes + sizeof head.correlation_id + (with_tags ? 1 : 0);
}

void write_reply_header(const ReplyHead& head, std::size_t frame_bytes, protocol::Writer& out) {
  out.i32(static_cast<std::int32_t>(frame_bytes));
  out.i32(head.correlation_id);
  if (head.api->response_header_version(head.version) == 1) out.unsigned_varint(0);
}

}  // namespace braid::broker
