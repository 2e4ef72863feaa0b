// JoinGroup: who may join, who is new, and who only comes back.
#include "broker/groups/group_machine.h"
#include "broker/groups/limits.h"

namespace braid::broker {

using protocol::ErrorCode;

void GroupMachine::join(const JoinQuestion& question, Ticket ticket, GroupTime time, GroupOutcome& out) {
  Group* group = find(question.group_id);
  if (const ErrorCode error = check_room(group, question); error != ErrorCode::kNone)
    return refuse_join(ticket, error == ErrorCode::kGroupMaxSizeReached ? "" : question.member_id, error, out);
  if (group == nullptr) {
    const std::string id(question.group_id);
    group = live_.emplace(id, std::make_unique<Group>(id)).first->second.get();
  }
  if (!group->supports(question.protocol_type, question.protocols)) {
    refuse_join(ticket, question.member_id, ErrorCode::kInconsistentGroupProtocol, out);
  } else if (question.member_id.empty()) {
    join_new(*group, question, ticket, time, out);
  } else {
    join_again(*group, question, ticket, time, out);
  }
  drop_if_unused(*group);
}

ErrorCode GroupMachine::check_room(Group* group, const JoinQuestion& question) {
  if (question.session_timeout < settings_.session_timeout_min ||
      question.session_timeout > settings_.session_timeout_max)
    return ErrorCode::kInvalidSessionTimeout;
  if (group == nullptr) {
    if (!question.member_id.empty()) return ErrorCode::kUnknownMemberId;
    const bool room = live_.size() < durable_.groups().size() + kUnwrittenGroupsMax;
    return room ? ErrorCode::kNone : ErrorCode::kCoordinatorNotAvailable;
  }
  if (question.member_id.empty() && group->pending_count() >= kPendingMembersMax)
    return ErrorCode::kGroupMaxSizeReached;
  const GroupMember* const member = group->find(question.member_id);
  bool room = true;
  switch (group->state()) {
    case GroupState::kEmpty:
    case GroupState::kDead:
      break;
    case GroupState::kPreparingRebalance:  // those who come first are in the next generation (KIP-389)
      room = (member != nullptr && member->waits_for_join()) || group->waiting_for_join() < settings_.size_max;
      break;
    case GroupState::kCompletingRebalance:
    case GroupState::kStable:
      room = member != nullptr || group->size() < settings_.size_max ||
             (question.instance_id && group->find_instance(*question.instance_id) != nullptr);
      break;
  }
  return room ? ErrorCode::kNone : ErrorCode::kGroupMaxSizeReached;
}

void GroupMachine::join_new(Group& group, const JoinQuestion& question, Ticket ticket, GroupTime time,
                            GroupOutcome& out) {
  const std::string fresh_id(question.fresh_member_id);
  if (question.instance_id) {
    GroupMember* const known = group.find_instance(*question.instance_id);
    if (known != nullptr) return replace_static(group, *known, question, ticket, time, out);
    return add_and_rebalance(group, fresh_id, question, ticket, time, out);
  }
  if (!question.member_id_required_first) return add_and_rebalance(group, fresh_id, question, ticket, time, out);
  timers_.set(group.add_pending(fresh_id), time.now + question.session_timeout);
  refuse_join(ticket, fresh_id, ErrorCode::kMemberIdRequired, out);
}

void GroupMachine::join_again(Group& group, const JoinQuestion& question, Ticket ticket, GroupTime time,
                              GroupOutcome& out) {
  if (!question.instance_id && group.is_pending(question.member_id))
    return add_and_rebalance(group, std::string(question.member_id), question, ticket, time, out);
  if (const ErrorCode error = group.check_member({question.member_id, question.instance_id, -1});
      error != ErrorCode::kNone)
    return refuse_join(ticket, question.member_id, error, out);
  GroupMember& member = *group.find(question.member_id);
  const bool same = member.has_same(question.protocols);
  // It may have missed the answer, or a follower was told of a rebalance that is over: the generation stands.
  const bool stands = (group.state() == GroupState::kCompletingRebalance && same) ||
                      (group.state() == GroupState::kStable && same && !group.is_leader(member.id));
  if (!stands) return update_and_rebalance(group, member, question, ticket, time, out);
  group.update(member, question);
  park_join(group, member, ticket, out);
  answer_join(group, member, joined_answer(group, member), time, out);
}

/// A static member starts again: under a new id, as the instance that it was (KIP-345).
void GroupMachine::replace_static(Group& group, GroupMember& member, const JoinQuestion& question, Ticket ticket,
                                  GroupTime time, GroupOutcome& out) {
  end_waiting(group, member, ErrorCode::kFencedInstanceId, out);
  const std::optional<std::string> leader_before = group.leader();
  group.rename(member, std::string(question.fresh_member_id));
  group.update(member, question);
  group.park_join(member, ticket);
  member.timer.cancel();
  if (group.state() != GroupState::kStable) return rebalance_or_complete(group, time, out);
  if (group.voted_protocol() != group.protocol_name()) return rebalance_or_complete(group, time, out);
  JoinAnswer answer = joined_answer(group, member);
  if (question.can_skip_assignment) {
    answer.skip_assignment = group.is_leader(member.id);
  } else {
    // An older client that is told that it leads would assign anew, and the others would not hear of it: it is told the
    // leader's old id.
    answer.leader = leader_before.value_or("");
    answer.members.clear();
  }
  answer_join(group, member, std::move(answer), time, out);
  out.records.push_back(group.record());
}

void GroupMachine::add_and_rebalance(Group& group, std::string member_id, const JoinQuestion& question, Ticket ticket,
                                     GroupTime time, GroupOutcome& out) {
  if (group.state() == GroupState::kPreparingRebalance && group.previous_state() == GroupState::kEmpty)
    group.member_added_meanwhile = true;
  GroupMember& member = group.add(std::move(member_id), question);
  group.park_join(member, ticket);
  timers_.set(member.timer, time.now + kNewMemberJoinMax);
  rebalance_or_complete(group, time, out);
}

void GroupMachine::update_and_rebalance(Group& group, GroupMember& member, const JoinQuestion& question, Ticket ticket,
                                        GroupTime time, GroupOutcome& out) {
  group.update(member, question);
  park_join(group, member, ticket, out);
  rebalance_or_complete(group, time, out);
}

void GroupMachine::park_join(Group& group, GroupMember& member, Ticket ticket, GroupOutcome& out) {
  // The same member on another connection: the first request was given up, or is a mistake.
  if (const auto before = group.take_join(member))
    refuse_join(*before, member.id, ErrorCode::kRebalanceInProgress, out);
  group.park_join(member, ticket);
  member.timer.cancel();
}

JoinAnswer GroupMachine::joined_answer(const Group& group, const GroupMember& member) {
  JoinAnswer answer;
  answer.generation = group.generation();
  answer.protocol_type = group.protocol_type();
  answer.protocol_name = group.protocol_name();
  answer.leader = group.leader().value_or("");
  answer.member_id = member.id;
  if (group.is_leader(member.id)) answer.members = group.joined_members();
  return answer;
}

void GroupMachine::answer_join(Group& group, GroupMember& member, JoinAnswer answer, GroupTime time,
                               GroupOutcome& out) {
  if (const auto ticket = group.take_join(member)) out.joins.emplace_back(*ticket, std::move(answer));
  restart_session(member, time);
}

void GroupMachine::refuse_join(Ticket ticket, std::string_view member_id, ErrorCode error, GroupOutcome& out) {
  JoinAnswer answer;
  answer.error = error;
  answer.member_id = member_id;
  out.joins.emplace_back(ticket, std::move(answer));
}

}  // namespace braid::broker
