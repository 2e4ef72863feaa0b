// AlterConfigs, key 33, versions 0-2: what is sent becomes the whole of what a topic says itself; what is not sent
// goes.
//
// - Each resource for itself: UNKNOWN_TOPIC_OR_PARTITION, INVALID_CONFIG for an unknown key or a value that is not
//   allowed, INVALID_REQUEST for a null value, a key or a resource twice. One with an error changes nothing.
// - In force at once, answered when it is durable. validate_only checks everything and changes nothing.
// - A broker, and all other resources, can not be changed: INVALID_REQUEST.
// - 2 is flexible.
#include "broker/api/33_alter_configs.h"

#include <memory>
#include <utility>
#include <vector>

#include "broker/api/alter_configs_run.h"
#include "broker/api/later.h"
#include "protocol/messages/33_alter_configs.h"

namespace braid::broker {
namespace {

using protocol::AlterConfigsRequest;
using protocol::AlterConfigsResponse;

std::vector<ConfigWish> wishes_of(const AlterConfigsRequest& request) {
  std::vector<ConfigWish> wishes;
  for (const auto& resource : request.resources) {
    ConfigWish& wish = wishes.emplace_back();
    wish.type = static_cast<ConfigResource>(resource.resource_type);
    wish.name = resource.resource_name;
    wish.replaces = true;
    for (const auto& config : resource.configs)
      wish.changes.push_back({config.name, ConfigOperation::kSet, config.value});
  }
  return wishes;
}

}  // namespace

protocol::Result<Answer> answer_alter_configs(RequestContext& context) {
  return answer_later<AlterConfigsRequest>(context,
                                           alter_configs_run<AlterConfigsRequest, AlterConfigsResponse, wishes_of>);
}

}  // namespace braid::broker
