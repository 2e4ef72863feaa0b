#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/messages/error_code.h"

namespace braid::broker {

/// What configuration is about, by Kafka's numbers; a client may send others.
enum class ConfigResource : std::int8_t {
  kTopic = 2,
  kBroker = 4,
  kBrokerLogger = 8,
  kClientMetrics = 16,
  kGroup = 32,
};

struct ConfigObjection {
  protocol::ErrorCode error = protocol::ErrorCode::kNone;
  std::string message;  // for people
};

/// Why nothing can be said of a resource of this type and name, whether or not it is there; none: something can.
/// A broker is named by its id, all of them together by an empty name.
std::optional<ConfigObjection> resource_objection(ConfigResource type, std::string_view name, std::int32_t node_id);

}  // namespace braid::broker
