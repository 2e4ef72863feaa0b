// IncrementalAlterConfigs, key 44, versions 0-1: single keys of a topic are set, deleted, appended to or subtracted
// from.
//
// - What is not named stays. Appending and subtracting is for lists, else INVALID_CONFIG; it begins with the value in
//   force; an item that is there already, or is not, changes nothing.
// - Each resource for itself: UNKNOWN_TOPIC_OR_PARTITION, INVALID_CONFIG for an unknown key or a value that is not
//   allowed, INVALID_REQUEST for a null value, an unknown operation, a key or a resource twice. One with an error
//   changes nothing.
// - In force at once, answered when it is durable. validate_only checks everything and changes nothing.
// - A broker, and all other resources, can not be changed: INVALID_REQUEST.
// - 1 is flexible.
#include "broker/api/44_incremental_alter_configs.h"

#include <memory>
#include <utility>
#include <vector>

#include "broker/api/alter_configs_run.h"
#include "broker/api/later.h"
#include "protocol/messages/44_incremental_alter_configs.h"

namespace braid::broker {
namespace {

using protocol::IncrementalAlterConfigsRequest;
using protocol::IncrementalAlterConfigsResponse;

std::vector<ConfigWish> wishes_of(const IncrementalAlterConfigsRequest& request) {
  std::vector<ConfigWish> wishes;
  for (const auto& resource : request.resources) {
    ConfigWish& wish = wishes.emplace_back();
    wish.type = static_cast<ConfigResource>(resource.resource_type);
    wish.name = resource.resource_name;
    wish.replaces = false;
    for (const auto& config : resource.configs)
      wish.changes.push_back({config.name, static_cast<ConfigOperation>(config.config_operation), config.value});
  }
  return wishes;
}

}  // namespace

protocol::Result<Answer> answer_incremental_alter_configs(RequestContext& context) {
  return answer_later<IncrementalAlterConfigsRequest>(
      context, alter_configs_run<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse, wishes_of>);
}

}  // namespace braid::broker
