// Committed offsets: who may commit, what is deleted by whom, and when they expire (KIP-211).
#include <algorithm>

#include "broker/groups/group_machine.h"
#include "broker/groups/limits.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;

}  // namespace

std::vector<ErrorCode> GroupMachine::commit(const CommitQuestion& question, GroupTime time, GroupOutcome& out) {
  Group* const group = find(question.group_id);
  if (const ErrorCode error = check_commit(group, question); error != ErrorCode::kNone)
    return std::vector<ErrorCode>(question.offsets.size(), error);
  if (group != nullptr) {
    GroupMember* const member = group->find(question.claim.member_id);
    if (member != nullptr && !member->join && !member->sync) restart_session(*member, time);
  }
  std::vector<ErrorCode> errors;
  errors.reserve(question.offsets.size());
  std::size_t bytes = 0;
  for (const OffsetToCommit& each : question.offsets) {
    if (each.metadata.size() > settings_.offset_metadata_bytes_max) {
      errors.push_back(ErrorCode::kOffsetMetadataTooLarge);
      continue;
    }
    CommittedOffset committed{each.offset, each.leader_epoch, std::string(each.metadata), time.wall.milliseconds, -1};
    if (question.retention_ms) committed.expire_timestamp = time.wall.milliseconds + *question.retention_ms;
    out.records.push_back(
        record_of_offset({std::string(question.group_id), std::string(each.topic), each.partition}, committed));
    bytes += out.records.back().size_bytes();
    errors.push_back(ErrorCode::kNone);
  }
  if (bytes <= kGroupDecisionBytesMax) return errors;
  out.records.clear();
  return std::vector<ErrorCode>(question.offsets.size(), ErrorCode::kInvalidCommitOffsetSize);
}

ErrorCode GroupMachine::check_commit(Group* group, const CommitQuestion& question) {
  const MemberClaim& claim = question.claim;
  if (group == nullptr) {
    // A group may begin with offsets that somebody outside of it commits.
    if (claim.generation < 0) return ErrorCode::kNone;
    const bool known = durable_.find(question.group_id) != nullptr;
    if (known) return ErrorCode::kUnknownMemberId;
    return question.unknown_group_has_own_error ? ErrorCode::kGroupIdNotFound : ErrorCode::kIllegalGeneration;
  }
  if (claim.generation < 0 && group->state() == GroupState::kEmpty) return ErrorCode::kNone;
  const bool claims_membership = claim.generation >= 0 || !claim.member_id.empty() || claim.instance_id.has_value();
  if (!claims_membership) return group->state() == GroupState::kEmpty ? ErrorCode::kNone : ErrorCode::kUnknownMemberId;
  if (const ErrorCode error = group->check_member(claim); error != ErrorCode::kNone) return error;
  if (claim.generation != group->generation()) return ErrorCode::kIllegalGeneration;
  // The member may not have its assignment yet: what it commits may be another's by now.
  return group->state() == GroupState::kCompletingRebalance ? ErrorCode::kRebalanceInProgress : ErrorCode::kNone;
}

GroupMachine::DeletedOffsets GroupMachine::delete_offsets(std::string_view group_id,
                                                          const std::vector<PartitionOfTopic>& partitions,
                                                          GroupOutcome& out) {
  Group* const group = find(group_id);
  if (group == nullptr && durable_.find(group_id) == nullptr) return {ErrorCode::kGroupIdNotFound, {}};
  std::set<std::string, std::less<>> subscribed;
  if (group != nullptr && group->size() > 0) {
    if (!group->uses_consumer_protocol()) return {ErrorCode::kNonEmptyGroup, {}};
    if (auto topics = group->subscribed_topics()) subscribed = *std::move(topics);
  }
  DeletedOffsets deleted;
  for (const PartitionOfTopic& each : partitions) {
    const bool in_use = subscribed.find(each.topic) != subscribed.end();
    deleted.errors.push_back(in_use ? ErrorCode::kGroupSubscribedToTopic : ErrorCode::kNone);
    if (!in_use && durable_.find_offset(group_id, each.topic, each.partition) != nullptr)
      out.records.push_back(record_of_no_offset({std::string(group_id), std::string(each.topic), each.partition}));
  }
  return deleted;
}

void GroupMachine::remove_topic(std::string_view topic, GroupOutcome& out) {
  for (const auto& [group_id, durable] : durable_.groups()) {
    const auto partitions = durable.offsets.find(topic);
    if (partitions == durable.offsets.end()) continue;
    for (const auto& [partition, committed] : partitions->second)
      out.records.push_back(record_of_no_offset({group_id, partitions->first, partition}));
  }
}

std::optional<std::string> GroupMachine::expire_offsets(const std::optional<std::string>& after, GroupTime time,
                                                        GroupOutcome& out) {
  const DurableGroups::Groups& groups = durable_.groups();
  auto next = after ? groups.upper_bound(*after) : groups.begin();
  std::optional<std::string> last;
  for (std::size_t looked_at = 0;
       next != groups.end() && looked_at < kGroupsLookedAtOnceMax && out.records.size() < kOffsetsExpiredAtOnceMax;
       ++next, ++looked_at) {
    last = next->first;
    expire_group(next->first, next->second, time, out);
  }
  return next == groups.end() ? std::nullopt : last;
}

void GroupMachine::expire_group(const std::string& group_id, const DurableGroups::DurableGroup& durable, GroupTime time,
                                GroupOutcome& out) {
  Group* const group = find(group_id);
  const Expiry expiry = expiry_of(group);
  if (!expiry.ever) return;
  bool anything_left = false;
  for (const auto& [topic, partitions] : durable.offsets) {
    const bool kept = expiry.kept_topics.contains(topic);
    for (const auto& [partition, committed] : partitions) {
      if (!kept && has_expired(committed, expiry, time)) {
        out.records.push_back(record_of_no_offset({group_id, topic, partition}));
      } else {
        anything_left = true;
      }
    }
  }
  const bool unused = group == nullptr || (group->state() == GroupState::kEmpty && group->pending_count() == 0);
  if (anything_left || !unused) return;
  if (durable.metadata) out.records.push_back(record_of_no_group(group_id));
  if (group != nullptr) live_.erase(live_.find(group_id));
}

GroupMachine::Expiry GroupMachine::expiry_of(const Group* group) {
  if (group == nullptr || !group->protocol_type()) return {.ever = true};  // offsets of nobody's: each by its commit
  if (group->state() == GroupState::kEmpty)
    return {.ever = true, .by_state = group->state_since() >= 0, .since = group->state_since()};
  if (group->state() != GroupState::kStable) return {};
  auto subscribed = group->subscribed_topics();
  if (!subscribed) return {};
  return {.ever = true, .kept_topics = *std::move(subscribed)};
}

bool GroupMachine::has_expired(const CommittedOffset& committed, const Expiry& expiry, GroupTime time) const {
  if (committed.expire_timestamp >= 0) return time.wall.milliseconds >= committed.expire_timestamp;
  const std::int64_t since =
      expiry.by_state ? std::max(expiry.since, committed.commit_timestamp) : committed.commit_timestamp;
  return time.wall.milliseconds - since >= settings_.offsets_retention_ms;
}

}  // namespace braid::broker
