// JoinGroup, key 11, versions 0-9: a member comes to a group, or comes back for a rebalance.
//
// - Answered when the rebalance is over, the leader with all members; or at once when nothing changes by it.
// - INVALID_GROUP_ID for an empty group; INVALID_SESSION_TIMEOUT outside of group.min and group.max.session.timeout.ms;
//   INCONSISTENT_GROUP_PROTOCOL; UNKNOWN_MEMBER_ID; GROUP_MAX_SIZE_REACHED at group.max.size.
// - 1 rebalance timeout, before it the session timeout stands in; 4 a new member is told its id by MEMBER_ID_REQUIRED
//   and joins with it (KIP-394); 5 instance ids of static members, FENCED_INSTANCE_ID (KIP-345); 7 protocol type, and a
//   null protocol name in errors; 8 a reason, for people; 9 skip_assignment for a leader that restarted (KIP-814).
#include "broker/api/11_join_group.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "broker/runtime/random_uuid.h"
#include "protocol/messages/11_join_group.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;

constexpr std::int16_t kMemberIdRequiredFrom = 4;
constexpr std::int16_t kNullProtocolFrom = 7;
constexpr std::int16_t kSkipAssignmentFrom = 9;

/// As Kafka makes them: what the client calls itself, and a random id as Java writes it.
std::string fresh_member_id(const JoinGroupRequest& asked, std::string_view client_id) {
  const protocol::Uuid uuid = random_uuid();
  std::string id(asked.group_instance_id.value_or(client_id));
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) id += '-';
    const auto byte = static_cast<unsigned>(uuid.bytes[i]);
    id += kDigits[byte >> 4];
    id += kDigits[byte & 15];
  }
  return id;
}

Reply reply_of(const ReplyHead& head, const JoinAnswer& answer) {
  JoinGroupResponse response;
  response.error_code = answer.error;
  response.generation_id = answer.generation;
  if (answer.protocol_type) response.protocol_type = *answer.protocol_type;
  if (answer.protocol_name) {
    response.protocol_name = *answer.protocol_name;
  } else if (head.version >= kNullProtocolFrom) {
    response.protocol_name = std::nullopt;
  }
  response.leader = answer.leader;
  response.skip_assignment = answer.skip_assignment;
  response.member_id = answer.member_id;
  std::vector<JoinGroupResponse::Member> members;
  members.reserve(answer.members.size());
  for (const JoinedMember& each : answer.members) {
    auto& member = members.emplace_back();
    member.member_id = each.member_id;
    if (each.instance_id) member.group_instance_id = *each.instance_id;
    member.metadata = each.metadata;
  }
  response.members = members;
  return make_reply(head, response);
}

JoinAnswer refused(const JoinGroupRequest& asked, ErrorCode error) {
  JoinAnswer answer;
  answer.error = error;
  answer.member_id = asked.member_id;
  return answer;
}

/// Asks the machine; the question's views end with the request's body, which is not kept while a member waits.
void ask(Node& node, GroupLog& log, const KeptRequest<JoinGroupRequest>& request, Ticket ticket) {
  const JoinGroupRequest& asked = request.message;
  const std::string fresh_id = fresh_member_id(asked, request.client_id);
  const std::string host = shown_host(request.client);
  JoinQuestion question;
  question.group_id = asked.group_id;
  question.member_id = asked.member_id;
  question.instance_id = asked.group_instance_id;
  question.protocol_type = asked.protocol_type;
  for (const auto& protocol : asked.protocols) question.protocols.push_back({protocol.name, protocol.metadata});
  question.session_timeout = std::chrono::milliseconds(asked.session_timeout_ms);
  question.rebalance_timeout =
      std::chrono::milliseconds(asked.rebalance_timeout_ms < 0 ? asked.session_timeout_ms : asked.rebalance_timeout_ms);
  question.client_id = request.client_id;
  question.client_host = host;
  question.fresh_member_id = fresh_id;
  question.member_id_required_first = request.head.version >= kMemberIdRequiredFrom;
  question.can_skip_assignment = request.head.version >= kSkipAssignmentFrom;
  GroupOutcome outcome;
  log.machine().join(question, ticket, node.groups.time(), outcome);
  node.groups.write(log, std::move(outcome));
}

boost::asio::awaitable<void> join(Node& node, std::unique_ptr<KeptRequest<JoinGroupRequest>> request) {
  const JoinGroupRequest& asked = request->message;
  if (asked.group_id.empty())
    co_return request->promise.complete(reply_of(request->head, refused(asked, ErrorCode::kInvalidGroupId)));
  const GroupCoordinator::Access access = co_await node.groups.access(asked.group_id);
  if (access.log == nullptr) co_return request->promise.complete(reply_of(request->head, refused(asked, access.error)));
  const Ticket ticket = access.log->next_ticket();
  ask(node, *access.log, *request, ticket);
  const ReplyHead head = request->head;
  ReplyPromise promise = std::move(request->promise);
  request.reset();  // a member may wait for long
  const JoinAnswer answer = co_await access.log->join_answer(ticket);
  const bool durable = co_await access.log->durable();
  if (durable) {
    promise.complete(reply_of(head, answer));
  } else {
    promise.complete(Refusal{"what the answer tells could not be made durable"});
  }
}

}  // namespace

protocol::Result<Answer> answer_join_group(RequestContext& context) {
  return answer_later<JoinGroupRequest>(context, join);
}

}  // namespace braid::broker
