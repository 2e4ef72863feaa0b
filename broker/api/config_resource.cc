#include "broker/api/config_resource.h"

#include "broker/config/excerpt.h"
#include "broker/config/value.h"
#include "broker/metadata/image.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;

std::optional<ConfigObjection> topic_name_objection(std::string_view name) {
  if (name.empty()) return ConfigObjection{ErrorCode::kInvalidRequest, "Default topic resources are not allowed."};
  if (!is_topic_name(name))
    return ConfigObjection{
        ErrorCode::kInvalidTopicException,
        "A topic's name has 1 to 249 letters, digits, '.', '_' and '-', and is neither '.' nor '..'"};
  return std::nullopt;
}

std::optional<ConfigObjection> broker_name_objection(std::string_view name, std::int32_t node_id) {
  if (name.empty() || parse_integer(name) == node_id) return std::nullopt;
  return ConfigObjection{ErrorCode::kInvalidRequest, "Unexpected broker id, expected " + std::to_string(node_id) +
                                                         " or an empty name, but received " + excerpt(name)};
}

ConfigObjection not_available(std::string_view what) {
  return {ErrorCode::kInvalidRequest, "Configuration of " + std::string(what) + " is not available here."};
}

}  // namespace

std::optional<ConfigObjection> resource_objection(ConfigResource type, std::string_view name, std::int32_t node_id) {
  switch (type) {
    case ConfigResource::kTopic:
      return topic_name_objection(name);
    case ConfigResource::kBroker:
      return broker_name_objection(name, node_id);
    case ConfigResource::kBrokerLogger:
      return not_available("a broker's loggers");
    case ConfigResource::kClientMetrics:
      return not_available("client metrics");
    case ConfigResource::kGroup:
      return not_available("groups");
  }
  return ConfigObjection{ErrorCode::kInvalidRequest,
                         "Unsupported resource type: " + std::to_string(static_cast<int>(type))};
}

}  // namespace braid::broker
