// DeleteGroups, key 42, versions 0-3: groups without members go, with all that they have committed.
//
// - Each group for itself, one named twice once: NON_EMPTY_GROUP while it has members or they are joining,
//   GROUP_ID_NOT_FOUND. Answered when it is durable. 3 an error message, which says no more than the code.
#include "broker/api/42_delete_groups.h"

#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "protocol/messages/42_delete_groups.h"

namespace braid::broker {
namespace {

using protocol::DeleteGroupsRequest;
using protocol::DeleteGroupsResponse;

boost::asio::awaitable<void> remove(Node& node, std::unique_ptr<KeptRequest<DeleteGroupsRequest>> request) {
  std::vector<DeleteGroupsResponse::DeletableGroupResult> results;
  std::set<std::string_view> seen;
  bool durable = true;
  for (const std::string_view id : request->message.groups_names) {
    if (!seen.insert(id).second) continue;
    auto& result = results.emplace_back();
    result.group_id = id;
    const GroupCoordinator::Access access = co_await node.groups.access(id);
    result.error_code = access.error;
    if (access.log == nullptr) continue;
    GroupOutcome outcome;
    result.error_code = access.log->machine().remove_group(id, outcome);
    const bool kept = co_await node.groups.settle(*access.log, std::move(outcome));
    durable = durable && kept;
  }
  DeleteGroupsResponse response;
  response.results = results;
  reply_if_durable(durable, *request, response);
}

}  // namespace

protocol::Result<Answer> answer_delete_groups(RequestContext& context) {
  return answer_later<DeleteGroupsRequest>(context, remove);
}

}  // namespace braid::broker
