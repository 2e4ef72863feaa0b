// How a group gets from one generation to the next: who is waited for, how long, and who is left out.
#include <algorithm>

#include "broker/groups/group_machine.h"

namespace braid::broker {

using protocol::ErrorCode;

void GroupMachine::rebalance_or_complete(Group& group, GroupTime time, GroupOutcome& out) {
  if (group.state() == GroupState::kPreparingRebalance) {
    complete_join_if_ready(group, time, out);
  } else {
    start_rebalance(group, time, out);
  }
}

void GroupMachine::start_rebalance(Group& group, GroupTime time, GroupOutcome& out) {
  if (group.state() == GroupState::kCompletingRebalance) {
    for (GroupMember& member : group.members()) {
      member.assignment.clear();
      if (!member.sync) continue;
      answer_sync(group, member, ErrorCode::kRebalanceInProgress, out);
      restart_session(member, time);
    }
  }
  group.sync_timer().cancel();
  const bool first = group.state() == GroupState::kEmpty;
  group.enter(GroupState::kPreparingRebalance, time.wall);
  group.rebalance_started = time.now;
  if (!first) return complete_join_if_ready(group, time, out);
  // A group that starts gets some time for more members, so that it does not begin with a row of rebalances (KIP-134).
  group.member_added_meanwhile = false;
  group.initial_delay_left =
      std::max(group.rebalance_timeout() - settings_.initial_rebalance_delay, std::chrono::milliseconds(0));
  timers_.set(group.join_timer(), time.now + settings_.initial_rebalance_delay);
}

void GroupMachine::extend_or_complete_first_join(Group& group, GroupTime time, GroupOutcome& out) {
  if (!group.member_added_meanwhile || group.initial_delay_left.count() == 0) return complete_join(group, time, out);
  group.member_added_meanwhile = false;
  const std::chrono::milliseconds delay = std::min(settings_.initial_rebalance_delay, group.initial_delay_left);
  group.initial_delay_left -= delay;
  timers_.set(group.join_timer(), time.now + delay);
}

void GroupMachine::complete_join_if_ready(Group& group, GroupTime time, GroupOutcome& out) {
  if (group.previous_state() == GroupState::kEmpty) return;  // the first rebalance ends by its timer
  if (group.all_have_joined()) return complete_join(group, time, out);
  if (!group.join_timer().is_set())
    timers_.set(group.join_timer(), group.rebalance_started + group.rebalance_timeout());
}

void GroupMachine::complete_join(Group& group, GroupTime time, GroupOutcome& out) {
  group.join_timer().cancel();
  for (auto next = group.members().begin(); next != group.members().end();) {
    GroupMember& member = *next++;
    if (!member.waits_for_join() && !member.is_static()) group.remove(member);
  }
  if (group.size() > 0 && !group.elect_joined_leader()) {
    // Only static members are left, and none of them is here: their sessions end, or they come.
    timers_.set(group.join_timer(), time.now + group.rebalance_timeout());
    return;
  }
  group.start_generation(time.wall);
  if (group.state() == GroupState::kEmpty) {
    out.records.push_back(group.record());
    return;
  }
  for (GroupMember& member : group.members()) {
    answer_join(group, member, joined_answer(group, member), time, out);
    group.set_sync_pending(member, true);
  }
  timers_.set(group.sync_timer(), time.now + group.rebalance_timeout());
}

void GroupMachine::remove_member(Group& group, GroupMember& member, ErrorCode error, GroupOutcome& out) {
  end_waiting(group, member, error, out);
  group.remove(member);
}

void GroupMachine::after_removal(Group& group, GroupTime time, GroupOutcome& out) {
  switch (group.state()) {
    case GroupState::kEmpty:
    case GroupState::kDead:
      return drop_if_unused(group);
    case GroupState::kPreparingRebalance:
      return complete_join_if_ready(group, time, out);
    case GroupState::kCompletingRebalance:
    case GroupState::kStable:
      return start_rebalance(group, time, out);
  }
}

void GroupMachine::remove_unsynced(Group& group, GroupTime time, GroupOutcome& out) {
  if (group.all_have_synced()) return;
  for (auto next = group.members().begin(); next != group.members().end();) {
    GroupMember& member = *next++;
    if (member.sync_pending) remove_member(group, member, ErrorCode::kUnknownMemberId, out);
  }
  after_removal(group, time, out);
}

}  // namespace braid::broker
