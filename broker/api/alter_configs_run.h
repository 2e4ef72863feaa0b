#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

/// Grants a request's wishes one after the other and answers: the whole of AlterConfigs and IncrementalAlterConfigs,
/// which differ in what their wishes are. For answer_later().
template <class Request, class Response, std::vector<ConfigWish> (*wishes_of)(const Request&)>
boost::asio::awaitable<void> alter_configs_run(Node& node, std::unique_ptr<KeptRequest<Request>> request) {
  const std::vector<ConfigWish> wishes = wishes_of(request->message);
  std::vector<typename Response::AlterConfigsResourceResponse> all;
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
  Response response;
  response.responses = all;
  request->reply(response);
}

}  // namespace braid::broker
