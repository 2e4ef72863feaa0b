// ListGroups, key 16, versions 0-5: every group, also those that have only offsets.
//
// - COORDINATOR_LOAD_IN_PROGRESS while some are still being read at a start.
// - 4 the state, and a filter by states; 5 the type, which is classic, and a filter by types. Case does not matter; an
//   empty filter takes all, and a word that is none takes nothing.
#include "broker/api/16_list_groups.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "protocol/messages/16_list_groups.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::ListGroupsRequest;
using protocol::ListGroupsResponse;

constexpr std::string_view kType = "classic";

bool same_word(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

bool takes(std::span<const std::string_view> filter, std::string_view word) {
  return filter.empty() || std::ranges::any_of(filter, [&](std::string_view each) { return same_word(each, word); });
}

boost::asio::awaitable<void> list(Node& node, std::unique_ptr<KeptRequest<ListGroupsRequest>> request) {
  const ListGroupsRequest& asked = request->message;
  ListGroupsResponse response;
  std::vector<ListedGroup> listed;
  bool durable = true;
  for (std::size_t i = 0; i < node.groups.logs().size(); ++i) {
    GroupLog& log = *node.groups.logs()[i];
    if (!log.is_loaded()) {
      response.error_code = ErrorCode::kCoordinatorLoadInProgress;
      continue;
    }
    std::vector<ListedGroup> some = log.machine().list();
    listed.insert(listed.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    const bool kept = co_await log.durable();
    durable = durable && kept;
  }
  std::vector<ListGroupsResponse::ListedGroup> told;
  for (const ListedGroup& group : listed) {
    if (!takes(asked.states_filter, name_of(group.state)) || !takes(asked.types_filter, kType)) continue;
    told.push_back({group.group_id, group.protocol_type, name_of(group.state), kType});
  }
  response.groups = told;
  reply_if_durable(durable, *request, response);
}

}  // namespace

protocol::Result<Answer> answer_list_groups(RequestContext& context) {
  return answer_later<ListGroupsRequest>(context, list);
}

}  // namespace braid::broker
