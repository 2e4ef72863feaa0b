// SyncGroup and LeaveGroup.
#include <map>

#include "broker/groups/group_machine.h"
#include "broker/groups/limits.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;

bool contradicts(const std::optional<std::string_view>& said, const std::optional<std::string>& known) {
  return said && (!known || *said != *known);
}

}  // namespace

void GroupMachine::sync(const SyncQuestion& question, Ticket ticket, GroupTime time, GroupOutcome& out) {
  Group* const group = find(question.group_id);
  const ErrorCode error = group == nullptr ? ErrorCode::kUnknownMemberId : check_sync(*group, question);
  if (error != ErrorCode::kNone) return static_cast<void>(out.syncs.emplace_back(ticket, SyncAnswer{error}));
  GroupMember& member = *group->find(question.claim.member_id);
  if (member.sync)
    answer_sync(*group, member, ErrorCode::kRebalanceInProgress, out);  // on another connection, given up
  member.sync = ticket;
  member.timer.cancel();
  group->set_sync_pending(member, false);
  if (group->all_have_synced()) group->sync_timer().cancel();
  if (group->state() == GroupState::kStable) {
    answer_sync(*group, member, ErrorCode::kNone, out);
    restart_session(member, time);
  } else if (group->is_leader(member.id)) {
    assign(*group, question, time, out);
  }
}

ErrorCode GroupMachine::check_sync(Group& group, const SyncQuestion& question) {
  if (const ErrorCode error = group.check_member(question.claim); error != ErrorCode::kNone) return error;
  if (question.claim.generation != group.generation()) return ErrorCode::kIllegalGeneration;
  if (contradicts(question.protocol_type, group.protocol_type()) ||
      contradicts(question.protocol_name, group.protocol_name()))
    return ErrorCode::kInconsistentGroupProtocol;
  return group.state() == GroupState::kPreparingRebalance ? ErrorCode::kRebalanceInProgress : ErrorCode::kNone;
}

/// The leader has decided: the group is stable, and everybody who waits gets its part.
void GroupMachine::assign(Group& group, const SyncQuestion& question, GroupTime time, GroupOutcome& out) {
  const std::map<std::string_view, protocol::ByteView> by_member(question.assignments.begin(),
                                                                 question.assignments.end());
  for (GroupMember& member : group.members()) {
    const auto own = by_member.find(member.id);
    member.assignment.clear();
    if (own != by_member.end()) member.assignment.assign(own->second.begin(), own->second.end());
  }
  GroupRecord record = group.record();
  if (record.size_bytes() > kGroupDecisionBytesMax) {
    for (GroupMember& member : group.members()) {
      if (!member.sync) continue;
      answer_sync(group, member, ErrorCode::kUnknownServerError, out);
      restart_session(member, time);
    }
    return start_rebalance(group, time, out);
  }
  out.records.push_back(std::move(record));
  group.enter(GroupState::kStable, time.wall);
  for (GroupMember& member : group.members()) {
    if (!member.sync) continue;
    answer_sync(group, member, ErrorCode::kNone, out);
    restart_session(member, time);
  }
}

void GroupMachine::answer_sync(const Group& group, GroupMember& member, ErrorCode error, GroupOutcome& out) {
  if (!member.sync) return;
  SyncAnswer answer;
  answer.error = error;
  if (error == ErrorCode::kNone) {
    answer.protocol_type = group.protocol_type();
    answer.protocol_name = group.protocol_name();
    answer.assignment = member.assignment;
  }
  out.syncs.emplace_back(*std::exchange(member.sync, std::nullopt), std::move(answer));
}

std::vector<ErrorCode> GroupMachine::leave(std::string_view group_id, const std::vector<Leaver>& leavers,
                                           GroupTime time, GroupOutcome& out) {
  std::vector<ErrorCode> errors(leavers.size(), ErrorCode::kUnknownMemberId);
  Group* const group = find(group_id);
  if (group == nullptr) return errors;
  bool members_left = false;
  bool pending_left = false;
  for (std::size_t i = 0; i < leavers.size(); ++i) {
    const Leaver& leaver = leavers[i];
    GroupMember* member = nullptr;
    if (!leaver.member_id.empty() && group->is_pending(leaver.member_id)) {
      group->remove_pending(leaver.member_id);
      errors[i] = ErrorCode::kNone;
      pending_left = true;
      continue;
    }
    if (leaver.member_id.empty()) {
      member = leaver.instance_id ? group->find_instance(*leaver.instance_id) : nullptr;
      errors[i] = member == nullptr ? ErrorCode::kUnknownMemberId : ErrorCode::kNone;
    } else {
      errors[i] = group->check_member({leaver.member_id, leaver.instance_id, -1});
      if (errors[i] == ErrorCode::kNone) member = group->find(leaver.member_id);
    }
    if (member == nullptr) continue;
    remove_member(*group, *member, ErrorCode::kUnknownMemberId, out);
    members_left = true;
  }
  const bool rests = group->state() == GroupState::kStable || group->state() == GroupState::kCompletingRebalance;
  if (members_left || (pending_left && !rests)) after_removal(*group, time, out);
  return errors;
}

}  // namespace braid::broker
