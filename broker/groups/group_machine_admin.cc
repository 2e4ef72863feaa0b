// What tools see of groups, and how they end one.
#include "broker/groups/group_machine.h"

namespace braid::broker {

using protocol::ErrorCode;

DescribedGroup GroupMachine::describe(std::string_view group_id) {
  DescribedGroup described;
  const Group* const group = find(group_id);
  if (group == nullptr) {
    if (durable_.find(group_id) != nullptr) described.state = GroupState::kEmpty;
    return described;
  }
  described.state = group->state();
  described.protocol_type = group->protocol_type().value_or("");
  const bool stable = group->state() == GroupState::kStable;
  if (stable) described.protocol_name = group->protocol_name().value_or("");
  described.members.reserve(group->size());
  for (const GroupMember& member : group->members()) {
    DescribedMember& each = described.members.emplace_back();
    each.member_id = member.id;
    each.instance_id = member.instance_id;
    each.client_id = member.client_id;
    each.client_host = member.client_host;
    if (!stable) continue;
    if (const protocol::Bytes* const metadata = member.metadata(described.protocol_name)) each.metadata = *metadata;
    each.assignment = member.assignment;
  }
  return described;
}

std::vector<ListedGroup> GroupMachine::list() const {
  std::vector<ListedGroup> listed;
  listed.reserve(live_.size());
  for (const auto& [id, group] : live_) listed.push_back({id, group->protocol_type().value_or(""), group->state()});
  for (const auto& [id, durable] : durable_.groups())
    if (!live_.contains(id)) listed.push_back({id, "", GroupState::kEmpty});
  return listed;
}

ErrorCode GroupMachine::remove_group(std::string_view group_id, GroupOutcome& out) {
  Group* const group = find(group_id);
  const DurableGroups::DurableGroup* const durable = durable_.find(group_id);
  if (group == nullptr && durable == nullptr) return ErrorCode::kGroupIdNotFound;
  if (group != nullptr && group->state() != GroupState::kEmpty) return ErrorCode::kNonEmptyGroup;
  if (durable != nullptr) {
    for (const auto& [topic, partitions] : durable->offsets)
      for (const auto& [partition, committed] : partitions)
        out.records.push_back(record_of_no_offset({std::string(group_id), topic, partition}));
    if (durable->metadata) out.records.push_back(record_of_no_group(group_id));
  }
  if (group != nullptr) live_.erase(live_.find(group_id));
  return ErrorCode::kNone;
}

}  // namespace braid::broker
