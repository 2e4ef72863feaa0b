// Heartbeat, key 12, versions 0-4: a member is still there.
//
// - INVALID_GROUP_ID, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION. REBALANCE_IN_PROGRESS asks the member to join again, and
//   keeps it nevertheless; while the group waits for its assignment the answer is without an error.
// - 3 instance ids: FENCED_INSTANCE_ID.
#include "broker/api/12_heartbeat.h"

#include <memory>

#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "protocol/messages/12_heartbeat.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::HeartbeatRequest;
using protocol::HeartbeatResponse;

boost::asio::awaitable<void> beat(Node& node, std::unique_ptr<KeptRequest<HeartbeatRequest>> request) {
  const HeartbeatRequest& asked = request->message;
  HeartbeatResponse response;
  response.error_code = ErrorCode::kInvalidGroupId;
  if (asked.group_id.empty()) co_return request->reply(response);
  const GroupCoordinator::Access access = co_await node.groups.access(asked.group_id);
  response.error_code = access.error;
  if (access.log == nullptr) co_return request->reply(response);
  const MemberClaim claim{asked.member_id, asked.group_instance_id, asked.generation_id};
  response.error_code = access.log->machine().heartbeat(asked.group_id, claim, node.groups.time());
  const bool durable = co_await access.log->durable();
  reply_if_durable(durable, *request, response);
}

}  // namespace

protocol::Result<Answer> answer_heartbeat(RequestContext& context) {
  return answer_later<HeartbeatRequest>(context, beat);
}

}  // namespace braid::broker
