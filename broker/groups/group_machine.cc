#include "broker/groups/group_machine.h"

#include <algorithm>

#include "protocol/base/check.h"

namespace braid::broker {

using protocol::ErrorCode;

void GroupMachine::finish_loading(GroupTime time) {
  for (const auto& [id, durable] : durable_.groups()) {
    if (!durable.metadata) continue;
    auto group = Group::from_record(id, *durable.metadata);
    protocol::check(group.has_value(), "a record that was replayed can be read");
    for (GroupMember& member : (*group)->members()) restart_session(member, time);
    live_[id] = *std::move(group);
  }
}

Group* GroupMachine::find(std::string_view group_id) {
  const auto found = live_.find(group_id);
  return found == live_.end() ? nullptr : found->second.get();
}

void GroupMachine::drop_if_unused(Group& group) {
  if (group.state() != GroupState::kEmpty || group.size() > 0 || group.pending_count() > 0) return;
  const DurableGroups::DurableGroup* const durable = durable_.find(group.id());
  if (durable != nullptr && durable->metadata) return;
  live_.erase(live_.find(group.id()));
}

std::size_t GroupMachine::group_count() const { return list().size(); }

ErrorCode GroupMachine::heartbeat(std::string_view group_id, const MemberClaim& claim, GroupTime time) {
  Group* const group = find(group_id);
  if (group == nullptr) return ErrorCode::kUnknownMemberId;
  if (const ErrorCode error = group->check_member(claim); error != ErrorCode::kNone) return error;
  if (claim.generation != group->generation()) return ErrorCode::kIllegalGeneration;
  GroupMember& member = *group->find(claim.member_id);
  // While it waits for an answer its session does not run.
  if (!member.join && !member.sync) restart_session(member, time);
  return group->state() == GroupState::kPreparingRebalance ? ErrorCode::kRebalanceInProgress : ErrorCode::kNone;
}

void GroupMachine::restart_session(GroupMember& member, GroupTime time) {
  timers_.set(member.timer, time.now + member.session_timeout);
}

void GroupMachine::tick(GroupTime time, GroupOutcome& out) {
  while (const GroupTimer* const timer = timers_.pop(time.now)) timer_passed(*timer, time, out);
}

void GroupMachine::timer_passed(const GroupTimer& timer, GroupTime time, GroupOutcome& out) {
  Group& group = *live_.find(timer.group_id())->second;
  switch (timer.kind()) {
    case GroupTimerKind::kMember: {
      GroupMember& member = *group.find(timer.member_id());
      // A client whose first JoinGroup took too long may still be there: it would join again.
      remove_member(group, member, ErrorCode::kUnknownMemberId, out);
      return after_removal(group, time, out);
    }
    case GroupTimerKind::kPending: {
      group.remove_pending(timer.member_id());
      const bool rests = group.state() == GroupState::kStable || group.state() == GroupState::kCompletingRebalance;
      if (!rests) after_removal(group, time, out);  // nobody waits for it then
      return;
    }
    case GroupTimerKind::kJoin:
      return group.previous_state() == GroupState::kEmpty ? extend_or_complete_first_join(group, time, out)
                                                          : complete_join(group, time, out);
    case GroupTimerKind::kSync:
      return remove_unsynced(group, time, out);
  }
}

void GroupMachine::end_waiting(ErrorCode error, GroupOutcome& out) {
  for (const auto& [id, group] : live_)
    for (GroupMember& member : group->members()) end_waiting(*group, member, error, out);
}

void GroupMachine::end_waiting(Group& group, GroupMember& member, ErrorCode error, GroupOutcome& out) {
  if (const auto ticket = group.take_join(member)) refuse_join(*ticket, member.id, error, out);
  answer_sync(group, member, error, out);
}

}  // namespace braid::broker
