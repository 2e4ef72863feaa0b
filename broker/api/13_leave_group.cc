// LeaveGroup, key 13, versions 0-5: members go, and the others share what they had.
//
// - Up to 2 one member, whose error is the answer's. From 3 on several, each with its own error; an administrator names
//   a static member by its instance id alone (KIP-345). Clients of static members send none when they close.
// - INVALID_GROUP_ID for all; UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID for one. 5 a reason, for people.
#include "broker/api/13_leave_group.h"

#include <memory>
#include <utility>
#include <vector>

#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "protocol/messages/13_leave_group.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::LeaveGroupRequest;
using protocol::LeaveGroupResponse;

constexpr std::int16_t kSeveralFrom = 3;

std::vector<Leaver> leavers_of(const LeaveGroupRequest& asked, std::int16_t version) {
  if (version < kSeveralFrom) return {{asked.member_id, std::nullopt}};
  std::vector<Leaver> leavers;
  for (const auto& member : asked.members) leavers.push_back({member.member_id, member.group_instance_id});
  return leavers;
}

boost::asio::awaitable<void> leave(Node& node, std::unique_ptr<KeptRequest<LeaveGroupRequest>> request) {
  const LeaveGroupRequest& asked = request->message;
  LeaveGroupResponse response;
  response.error_code = ErrorCode::kInvalidGroupId;
  if (asked.group_id.empty()) co_return request->reply(response);
  const GroupCoordinator::Access access = co_await node.groups.access(asked.group_id);
  response.error_code = access.error;
  if (access.log == nullptr) co_return request->reply(response);
  const std::vector<Leaver> leavers = leavers_of(asked, request->head.version);
  GroupOutcome outcome;
  const std::vector<ErrorCode> errors =
      access.log->machine().leave(asked.group_id, leavers, node.groups.time(), outcome);
  std::vector<LeaveGroupResponse::MemberResponse> members;
  if (request->head.version < kSeveralFrom) {
    response.error_code = errors.front();
  } else {
    for (std::size_t i = 0; i < leavers.size(); ++i)
      members.push_back({leavers[i].member_id, leavers[i].instance_id, errors[i]});
  }
  response.members = members;
  const bool durable = co_await node.groups.settle(*access.log, std::move(outcome));
  reply_if_durable(durable, *request, response);
}

}  // namespace

protocol::Result<Answer> answer_leave_group(RequestContext& context) {
  return answer_later<LeaveGroupRequest>(context, leave);
}

}  // namespace braid::broker
