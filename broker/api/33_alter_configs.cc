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

boost::asio::awaitable<void> alter_configs(Node& node, std::unique_ptr<KeptRequest<AlterConfigsRequest>> request) {
  const std::vector<ConfigWish> wishes = wishes_of(request->message);
  std::vector<AlterConfigsResponse::AlterConfigsResourceResponse> all;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    ConfigObjection outcome;
    if (auto no = wish_objection(wishes, i, node.facts.node_id)) {
      outcome = *std::move(no);
    } else {
      ConfigWish wish = wishes[i];
      outcome = co_await grant(node, std::move(wish), request->message.validate_only);
    }
    auto& told = all.emplace_back();
    told.resource_type = request->message.resources[i].resource_type;
    told.resource_name = wishes[i].name;
    told.error_code = outcome.error;
    told.error_message = std::nullopt;
    if (outcome.error != protocol::ErrorCode::kNone) told.error_message = request->arena.copy(outcome.message);
  }
  AlterConfigsResponse response;
  response.responses = all;
  request->reply(response);
}

}  // namespace

protocol::Result<Answer> answer_alter_configs(RequestContext& context) {
  return answer_later<AlterConfigsRequest>(context, alter_configs);
}

}  // namespace braid::broker
