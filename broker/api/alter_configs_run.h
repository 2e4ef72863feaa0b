#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/api/config_resource.h"
#include "broker/api/node.h"
#include "broker/metadata/config_change.h"

namespace braid::broker {

/// What is to become of one resource's configuration. Borrows from the request.
struct ConfigWish {
  ConfigResource type = ConfigResource::kTopic;
  std::string_view name;
  std::vector<ConfigChange> changes;
  bool replaces = false;  // what the resource has and `changes` do not name goes
};

/// Why a request with these wishes can't be granted as far as it concerns the one at `index`; none: it is tried.
std::optional<ConfigObjection> wish_objection(const std::vector<ConfigWish>& wishes, std::size_t index,
                                              std::int32_t node_id);

/// Grants one that has no such objection, durably, or only says whether it would. No error: granted.
boost::asio::awaitable<ConfigObjection> grant(Node& node, ConfigWish wish, bool validate_only);

}  // namespace braid::broker
