// DescribeGroups, key 15, versions 0-6: groups with their members.
//
// - Each group for itself. One that nobody knows is Dead without an error, from 6 on with GROUP_ID_NOT_FOUND and a
//   message (KIP-1043). The chosen protocol and what members said about it are told of a stable group only.
// - 3 authorised operations, all of them as there are no access rules; 4 instance ids.
#include "broker/api/15_describe_groups.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/api/authorized_operations.h"
#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "protocol/messages/15_describe_groups.h"

namespace braid::broker {
namespace {

using protocol::DescribeGroupsRequest;
using protocol::DescribeGroupsResponse;
using protocol::ErrorCode;
using Told = DescribeGroupsResponse::DescribedGroup;
using ToldMember = DescribeGroupsResponse::DescribedGroupMember;

constexpr std::int16_t kNotFoundFrom = 6;

/// `group` and `members` live as long as the answer.
void tell(const DescribedGroup& group, std::vector<ToldMember>& members, Told& told) {
  told.group_state = name_of(group.state);
  told.protocol_type = group.protocol_type;
  told.protocol_data = group.protocol_name;
  for (const DescribedMember& each : group.members) {
    ToldMember& member = members.emplace_back();
    member.member_id = each.member_id;
    if (each.instance_id) member.group_instance_id = *each.instance_id;
    member.client_id = each.client_id;
    member.client_host = each.client_host;
    member.member_metadata = each.metadata;
    member.member_assignment = each.assignment;
  }
  told.members = members;
}

boost::asio::awaitable<void> describe(Node& node, std::unique_ptr<KeptRequest<DescribeGroupsRequest>> request) {
  const DescribeGroupsRequest& asked = request->message;
  std::vector<Told> all;
  std::deque<DescribedGroup> groups;
  std::deque<std::vector<ToldMember>> members;
  bool durable = true;
  for (const std::string_view id : asked.groups) {
    Told& told = all.emplace_back();
    told.group_id = id;
    const GroupCoordinator::Access access = co_await node.groups.access(id);
    told.error_code = access.error;
    if (access.log == nullptr) continue;
    const DescribedGroup& group = groups.emplace_back(access.log->machine().describe(id));
    tell(group, members.emplace_back(), told);
    if (group.state == GroupState::kDead && request->head.version >= kNotFoundFrom) {
      told.error_code = ErrorCode::kGroupIdNotFound;
      told.error_message = request->arena.copy("Group " + std::string(id) + " not found.");
    }
    if (asked.include_authorized_operations) told.authorized_operations = kGroupOperations;
    const bool kept = co_await access.log->durable();
    durable = durable && kept;
  }
  DescribeGroupsResponse response;
  response.groups = all;
  reply_if_durable(durable, *request, response);
}

}  // namespace

protocol::Result<Answer> answer_describe_groups(RequestContext& context) {
  return answer_later<DescribeGroupsRequest>(context, describe);
}

}  // namespace braid::broker
