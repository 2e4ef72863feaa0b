#include "broker/groups/group.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/messages/data_consumer_protocol_subscription.h"
#include "protocol/messages/decoded.h"

namespace braid::broker {
namespace {

using protocol::Bytes;
using protocol::ByteView;
using protocol::ErrorCode;
using protocol::Result;

Bytes owned(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

/// Each name once: a protocol is supported by a member or not.
GroupMember::Protocols owned(const std::vector<JoinProtocol>& protocols) {
  GroupMember::Protocols copies;
  std::set<std::string_view> names;
  for (const JoinProtocol& each : protocols)
    if (names.insert(each.name).second) copies.emplace_back(each.name, owned(each.metadata));
  return copies;
}

std::optional<std::string> owned(const std::optional<std::string_view>& text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<std::string_view> view(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

/// The topics in a consumer's subscription, added to `topics`; false: it is none. Newer versions only add fields.
bool add_subscribed(ByteView metadata, std::set<std::string, std::less<>>& topics) {
  protocol::Reader in(metadata);
  protocol::Arena arena;
  protocol::ConsumerProtocolSubscriptionData subscription;
  const std::int16_t version = std::min(in.i16(), protocol::ConsumerProtocolSubscriptionData::kVersionMax);
  if (protocol::decode(in, version, arena, subscription).has_error()) return false;
  for (const std::string_view topic : subscription.topics) topics.emplace(topic);
  return true;
}

}  // namespace

Result<std::unique_ptr<Group>> Group::from_record(const std::string& id, ByteView value) {
  protocol::Arena arena;
  protocol::GroupMetadataValue said;
  TRY_DO(parse_group(value, arena, said));
  auto group = std::make_unique<Group>(id);
  if (!said.protocol_type.empty()) group->protocol_type_ = said.protocol_type;
  group->generation_ = said.generation;
  group->protocol_name_ = owned(said.protocol);
  group->leader_ = owned(said.leader);
  group->state_since_ = said.current_state_timestamp;
  for (const auto& each : said.members) {
    JoinQuestion as_joined;
    as_joined.instance_id = each.group_instance_id;
    as_joined.session_timeout = std::chrono::milliseconds(each.session_timeout);
    as_joined.rebalance_timeout =
        std::chrono::milliseconds(each.rebalance_timeout >= 0 ? each.rebalance_timeout : each.session_timeout);
    as_joined.client_id = each.client_id;
    as_joined.client_host = each.client_host;
    as_joined.protocol_type = said.protocol_type;
    as_joined.protocols = {{said.protocol.value_or(""), each.subscription}};
    group->add(std::string(each.member_id), as_joined).assignment = owned(each.assignment);
  }
  if (group->size() > 0) group->state_ = GroupState::kStable;
  return group;
}

void Group::enter(GroupState state, protocol::WallTime now) {
  previous_state_ = std::exchange(state_, state);
  state_since_ = now.milliseconds;
}

GroupMember* Group::find(std::string_view member_id) {
  const auto found = by_id_.find(std::string(member_id));
  return found == by_id_.end() ? nullptr : found->second.get();
}

GroupMember* Group::find_instance(std::string_view instance_id) {
  const auto found = by_instance_.find(instance_id);
  return found == by_instance_.end() ? nullptr : found->second;
}

ErrorCode Group::check_member(const MemberClaim& claim) {
  if (claim.instance_id) {
    const GroupMember* const known = find_instance(*claim.instance_id);
    if (known == nullptr) return ErrorCode::kUnknownMemberId;
    if (known->id != claim.member_id) return ErrorCode::kFencedInstanceId;
  }
  return find(claim.member_id) == nullptr ? ErrorCode::kUnknownMemberId : ErrorCode::kNone;
}

GroupMember& Group::add(std::string member_id, const JoinQuestion& question) {
  remove_pending(member_id);
  if (by_id_.empty()) protocol_type_ = question.protocol_type;
  if (!leader_) leader_ = member_id;
  std::unique_ptr<GroupMember>& place = by_id_[member_id];
  protocol::check(place == nullptr, "a member is added once");
  place = std::make_unique<GroupMember>(id_, std::move(member_id));
  GroupMember& member = *place;
  members_.push_back(member);
  member.instance_id = owned(question.instance_id);
  if (member.instance_id) by_instance_[*member.instance_id] = &member;
  update(member, question);
  return member;
}

void Group::update(GroupMember& member, const JoinQuestion& question) {
  count_protocols(member, -1);
  member.protocols = owned(question.protocols);
  count_protocols(member, 1);
  member.session_timeout = question.session_timeout;
  member.rebalance_timeout = question.rebalance_timeout;
  member.client_id = question.client_id;
  member.client_host = question.client_host;
}

void Group::rename(GroupMember& member, const std::string& new_id) {
  protocol::check(!by_id_.contains(new_id), "a member's id is its own");
  const auto place = by_id_.find(member.id);
  std::unique_ptr<GroupMember> owner = std::move(place->second);
  by_id_.erase(place);
  if (is_leader(member.id)) leader_ = new_id;
  member.id = new_id;
  member.timer.set_member_id(new_id);
  by_id_.emplace(new_id, std::move(owner));
}

void Group::remove(GroupMember& member) {
  protocol::check(!member.join && !member.sync, "a member that waits is told before it goes");
  count_protocols(member, -1);
  set_sync_pending(member, false);
  if (member.instance_id) by_instance_.erase(*member.instance_id);
  const bool was_leader = is_leader(member.id);
  const std::string member_id = member.id;
  by_id_.erase(member_id);  // it leaves the list of members by itself
  if (!was_leader) return;
  leader_ = members_.empty() ? std::nullopt : std::optional(members_.front().id);
}

void Group::park_join(GroupMember& member, Ticket ticket) {
  protocol::check(!member.join, "a member joins once at a time");
  member.join = ticket;
  ++waiting_for_join_;
}

std::optional<Ticket> Group::take_join(GroupMember& member) {
  if (member.join) --waiting_for_join_;
  return std::exchange(member.join, std::nullopt);
}

void Group::set_sync_pending(GroupMember& member, bool pending) {
  if (member.sync_pending == pending) return;
  member.sync_pending = pending;
  if (pending) {
    ++sync_pending_;
  } else {
    --sync_pending_;
  }
}

GroupTimer& Group::add_pending(const std::string& member_id) {
  return pending_.try_emplace(member_id, GroupTimerKind::kPending, id_, member_id).first->second;
}

void Group::remove_pending(std::string_view member_id) {
  if (const auto found = pending_.find(member_id); found != pending_.end()) pending_.erase(found);
}

void Group::count_protocols(const GroupMember& member, int change) {
  for (const auto& [name, metadata] : member.protocols) {
    const auto counted = supporters_.try_emplace(name, 0).first;
    counted->second += static_cast<std::size_t>(change);
    if (counted->second == 0) supporters_.erase(counted);
  }
}

bool Group::supports(std::string_view protocol_type, const std::vector<JoinProtocol>& protocols) const {
  if (by_id_.empty()) return !protocol_type.empty() && !protocols.empty();
  return protocol_type_ == protocol_type && std::ranges::any_of(protocols, [&](const JoinProtocol& each) {
           const auto counted = supporters_.find(each.name);
           return counted != supporters_.end() && counted->second == size();
         });
}

std::string Group::voted_protocol() const {
  std::vector<std::pair<std::string_view, std::size_t>> votes;  // in the order of the members' first votes
  for (const GroupMember& member : members_) {
    const auto first = std::ranges::find_if(
        member.protocols, [&](const auto& each) { return supporters_.find(each.first)->second == size(); });
    protocol::check(first != member.protocols.end(), "members have a protocol in common");
    const auto counted = std::ranges::find(votes, std::string_view(first->first), &decltype(votes)::value_type::first);
    if (counted == votes.end()) {
      votes.emplace_back(first->first, 1);
    } else {
      ++counted->second;
    }
  }
  return std::string(std::ranges::max_element(votes, {}, &decltype(votes)::value_type::second)->first);
}

std::chrono::milliseconds Group::rebalance_timeout() const {
  std::chrono::milliseconds largest{0};
  for (const GroupMember& member : members_) largest = std::max(largest, member.rebalance_timeout);
  return largest;
}

bool Group::elect_joined_leader() {
  if (!leader_) return false;
  if (const GroupMember* const leader = find(*leader_); leader != nullptr && leader->waits_for_join()) return true;
  const auto joined = std::ranges::find_if(members_, &GroupMember::waits_for_join);
  if (joined == members_.end()) return false;
  leader_ = joined->id;
  return true;
}

void Group::start_generation(protocol::WallTime now) {
  generation_ = generation_ == std::numeric_limits<std::int32_t>::max() ? 1 : generation_ + 1;
  for (GroupMember& member : members_) set_sync_pending(member, false);
  if (by_id_.empty()) {
    protocol_name_.reset();
    enter(GroupState::kEmpty, now);
  } else {
    protocol_name_ = voted_protocol();
    enter(GroupState::kCompletingRebalance, now);
  }
}

std::optional<std::set<std::string, std::less<>>> Group::subscribed_topics() const {
  std::set<std::string, std::less<>> topics;
  if (!uses_consumer_protocol() || (size() > 0 && !protocol_name_)) return std::nullopt;
  for (const GroupMember& member : members_) {
    const Bytes* const metadata = member.metadata(*protocol_name_);
    if (metadata == nullptr || !add_subscribed(*metadata, topics)) return std::nullopt;
  }
  return topics;
}

std::vector<JoinedMember> Group::joined_members() const {
  std::vector<JoinedMember> joined;
  joined.reserve(size());
  for (const GroupMember& member : members_) {
    const Bytes* const metadata = member.metadata(*protocol_name_);
    joined.push_back({member.id, member.instance_id, metadata == nullptr ? Bytes{} : *metadata});
  }
  return joined;
}

GroupRecord Group::record() const {
  std::vector<protocol::GroupMetadataValueMemberMetadata> members;
  members.reserve(size());
  for (const GroupMember& member : members_) {
    const Bytes* const metadata = protocol_name_ ? member.metadata(*protocol_name_) : nullptr;
    members.push_back({member.id, view(member.instance_id), member.client_id, member.client_host,
                       static_cast<std::int32_t>(member.rebalance_timeout.count()),
                       static_cast<std::int32_t>(member.session_timeout.count()),
                       metadata == nullptr ? ByteView{} : ByteView(*metadata), member.assignment});
  }
  protocol::GroupMetadataValue value;
  if (protocol_type_) value.protocol_type = *protocol_type_;
  value.generation = generation_;
  value.protocol = view(protocol_name_);
  value.leader = view(leader_);
  value.current_state_timestamp = state_since_;
  value.members = members;
  return record_of_group(id_, value);
}

}  // namespace braid::broker
