// SyncGroup, key 14, versions 0-5: the leader says who gets what, and each member gets its part.
//
// - Followers are answered when the leader has assigned and that is durable; in a stable group at once.
// - INVALID_GROUP_ID, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION; REBALANCE_IN_PROGRESS: join again.
// - 3 instance ids: FENCED_INSTANCE_ID; 5 protocol type and name, which must be the group's:
//   INCONSISTENT_GROUP_PROTOCOL.
#include "broker/api/14_sync_group.h"

#include <memory>
#include <utility>

#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "protocol/messages/14_sync_group.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::SyncGroupRequest;
using protocol::SyncGroupResponse;

constexpr std::int16_t kProtocolFrom = 5;

/// Before the coordinator is asked.
ErrorCode objection(const SyncGroupRequest& asked, std::int16_t version) {
  if (asked.group_id.empty()) return ErrorCode::kInvalidGroupId;
  const bool named = asked.protocol_type.has_value() && asked.protocol_name.has_value();
  return version >= kProtocolFrom && !named ? ErrorCode::kInconsistentGroupProtocol : ErrorCode::kNone;
}

void ask(Node& node, GroupLog& log, const SyncGroupRequest& asked, Ticket ticket) {
  SyncQuestion question;
  question.group_id = asked.group_id;
  question.claim = {asked.member_id, asked.group_instance_id, asked.generation_id};
  question.protocol_type = asked.protocol_type;
  question.protocol_name = asked.protocol_name;
  for (const auto& each : asked.assignments) question.assignments.emplace_back(each.member_id, each.assignment);
  GroupOutcome outcome;
  log.machine().sync(question, ticket, node.groups.time(), outcome);
  node.groups.write(log, std::move(outcome));
}

boost::asio::awaitable<void> sync(Node& node, std::unique_ptr<KeptRequest<SyncGroupRequest>> request) {
  const SyncGroupRequest& asked = request->message;
  SyncGroupResponse response;
  response.error_code = objection(asked, request->head.version);
  if (response.error_code != ErrorCode::kNone) co_return request->reply(response);
  const GroupCoordinator::Access access = co_await node.groups.access(asked.group_id);
  response.error_code = access.error;
  if (access.log == nullptr) co_return request->reply(response);
  const Ticket ticket = access.log->next_ticket();
  ask(node, *access.log, asked, ticket);
  const SyncAnswer answer = co_await access.log->sync_answer(ticket);
  const bool durable = co_await access.log->durable();
  response.error_code = answer.error;
  if (answer.protocol_type) response.protocol_type = *answer.protocol_type;
  if (answer.protocol_name) response.protocol_name = *answer.protocol_name;
  response.assignment = answer.assignment;
  reply_if_durable(durable, *request, response);
}

}  // namespace

protocol::Result<Answer> answer_sync_group(RequestContext& context) {
  return answer_later<SyncGroupRequest>(context, sync);
}

}  // namespace braid::broker
