#include "broker/api/alter_configs_run.h"

#include <algorithm>
#include <utility>

namespace braid::broker {

using protocol::ErrorCode;

std::optional<ConfigObjection> wish_objection(const std::vector<ConfigWish>& wishes, std::size_t index,
                                              std::int32_t node_id) {
  const ConfigWish& wish = wishes[index];
  const auto same = [&](const ConfigWish& other) { return other.type == wish.type && other.name == wish.name; };
  if (std::ranges::count_if(wishes, same) > 1)
    return ConfigObjection{ErrorCode::kInvalidRequest, "Each resource must appear at most once."};
  if (auto no = resource_objection(wish.type, wish.name, node_id)) return no;
  if (wish.type == ConfigResource::kBroker && !wish.changes.empty())
    return ConfigObjection{ErrorCode::kInvalidRequest,
                           "A broker's configuration can't be changed while it runs: change the file that it starts "
                           "with, and start it again."};
  return std::nullopt;
}

boost::asio::awaitable<ConfigObjection> grant(Node& node, ConfigWish wish, bool validate_only) {
  if (wish.type != ConfigResource::kTopic) co_return ConfigObjection{};
  const Topics::Reconfiguration change = [&node, &wish](const TopicConfigs& own) {
    return changed_configs(wish.replaces ? TopicConfigs{} : own, node.config, wish.changes);
  };
  TopicOutcome outcome;
  if (validate_only) {
    outcome = node.topics.preview_configuration(wish.name, change);
  } else {
    std::string name(wish.name);
    outcome = co_await node.topics.configure(std::move(name), change);
  }
  co_return ConfigObjection{outcome.error, std::move(outcome.message)};
}

}  // namespace braid::broker
