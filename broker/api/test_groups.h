#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/api/test_node.h"
#include "broker/api/test_requests.h"
#include "protocol/messages/08_offset_commit.h"
#include "protocol/messages/09_offset_fetch.h"
#include "protocol/messages/10_find_coordinator.h"
#include "protocol/messages/11_join_group.h"
#include "protocol/messages/12_heartbeat.h"
#include "protocol/messages/13_leave_group.h"
#include "protocol/messages/14_sync_group.h"
#include "protocol/messages/15_describe_groups.h"
#include "protocol/messages/42_delete_groups.h"

/// What tests of groups ask of a TestNode again and again, and the answers in one piece.
namespace braid::broker {

using namespace protocol;

inline const TestNode::Settings kQuick = {{"group.initial.rebalance.delay.ms", "0"},
                                          {"offsets.topic.num.partitions", "3"}};

inline TestNode::Settings quick(TestNode::Settings more = {}) {
  more.insert(more.end(), kQuick.begin(), kQuick.end());
  return more;
}

inline ByteView bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
inline std::string text(ByteView view) { return {reinterpret_cast<const char*>(view.data()), view.size()}; }

/// A node that knows its coordinator.
class GroupNode : public TestNode {
 public:
  explicit GroupNode(const Settings& settings = kQuick, storage::LogStore* store = nullptr)
      : TestNode(settings, store) {}

  ErrorCode find_coordinator() {
    FindCoordinatorRequest request;
    const std::string_view key = "g";
    request.coordinator_keys = {&key, 1};
    const ErrorCode error = ask<FindCoordinatorResponse>(request, 4).coordinators[0].error_code;
    wait_until_loaded();
    return error;
  }
  void wait_until_loaded() {
    run_until(
        [&] { return std::ranges::all_of(node().groups.logs(), [](const auto& log) { return log->is_loaded(); }); });
  }
  GroupLog& log_of_g() { return *node().groups.logs()[103 % 3]; }  // "g" is 103, as Java hashes it
};

struct Membership {
  ErrorCode error = ErrorCode::kNone;
  std::string id;
  std::int32_t generation = -1;
  std::string leader;
  std::size_t members = 0;
};

struct Joining {
  std::string member_id = "";
  std::int16_t version = 9;
  std::optional<std::string_view> instance = std::nullopt;
  std::int32_t session_timeout_ms = 30'000;
  std::string_view group = "g";
};

/// Calls `use` with a request that lives so long.
template <class Use>
auto with_join(const Joining& how, Use use) {
  const JoinGroupRequest::Protocol protocol{"range", bytes("metadata")};
  JoinGroupRequest request;
  request.group_id = how.group;
  request.session_timeout_ms = how.session_timeout_ms;
  if (how.version >= 1) request.rebalance_timeout_ms = 30'000;
  request.member_id = how.member_id;
  request.group_instance_id = how.instance;
  request.protocol_type = "consumer";
  request.protocols = {&protocol, 1};
  return use(request);
}

inline Membership join(TestNode& node, const Joining& how = {}) {
  return with_join(how, [&](const JoinGroupRequest& request) {
    const auto response = node.ask<JoinGroupResponse>(request, how.version);
    return Membership{response.error_code, std::string(response.member_id), response.generation_id,
                      std::string(response.leader), response.members.size()};
  });
}

/// Joins also where a new member is told its id first.
inline Membership join_fully(TestNode& node, Joining how = {}) {
  Membership joined = join(node, how);
  if (joined.error != ErrorCode::kMemberIdRequired) return joined;
  how.member_id = joined.id;
  return join(node, how);
}

struct Synced {
  ErrorCode error = ErrorCode::kNone;
  std::string assignment;
};

inline Synced sync(TestNode& node, const Membership& as, std::int16_t version = 5,
                   std::optional<std::string_view> instance = std::nullopt, std::string_view assignment = "mine") {
  const SyncGroupRequest::Assignment own{as.id, bytes(assignment)};
  SyncGroupRequest request;
  request.group_id = "g";
  request.generation_id = as.generation;
  request.member_id = as.id;
  request.group_instance_id = instance;
  if (version >= 5) {
    request.protocol_type = "consumer";
    request.protocol_name = "range";
  }
  request.assignments = {&own, 1};
  const auto response = node.ask<SyncGroupResponse>(request, version);
  return {response.error_code, text(response.assignment)};
}

inline ErrorCode heartbeat(TestNode& node, const Membership& as, std::int16_t version = 4) {
  HeartbeatRequest request;
  request.group_id = "g";
  request.generation_id = as.generation;
  request.member_id = as.id;
  return node.ask<HeartbeatResponse>(request, version).error_code;
}

inline ErrorCode leave(TestNode& node, const std::string& member_id, std::int16_t version = 5,
                       std::optional<std::string_view> instance = std::nullopt) {
  const LeaveGroupRequest::MemberIdentity member{member_id, instance, std::nullopt};
  LeaveGroupRequest request;
  request.group_id = "g";
  if (version >= 3) {
    request.members = {&member, 1};
  } else {
    request.member_id = member_id;
  }
  const auto response = node.ask<LeaveGroupResponse>(request, version);
  return version < 3 || response.error_code != ErrorCode::kNone ? response.error_code : response.members[0].error_code;
}

struct Committing {
  std::int16_t version = 9;
  std::string_view topic = "t";
  std::int32_t partition = 0;
  Uuid id{};
  std::string_view group = "g";
  std::string_view metadata = "m";
  std::int64_t retention_time_ms = -1;
  Membership as{};
};

inline ErrorCode commit(TestNode& node, std::int64_t offset, const Committing& how = {}) {
  OffsetCommitRequest::Partition partition;
  partition.partition_index = how.partition;
  partition.committed_offset = offset;
  if (how.version >= 6) partition.committed_leader_epoch = 0;
  partition.committed_metadata = how.metadata;
  OffsetCommitRequest::Topic topic;
  if (how.version >= 10) {
    topic.topic_id = how.id;
  } else {
    topic.name = how.topic;
  }
  topic.partitions = {&partition, 1};
  OffsetCommitRequest request;
  request.group_id = how.group;
  request.generation_id_or_member_epoch = how.as.generation;
  request.member_id = how.as.id;
  if (how.version <= 4) request.retention_time_ms = how.retention_time_ms;
  request.topics = {&topic, 1};
  const auto response = node.ask<OffsetCommitResponse>(request, how.version);
  return response.topics[0].partitions[0].error_code;
}

struct Fetched {
  ErrorCode error = ErrorCode::kNone;  // wherever it stands
  std::int64_t offset = -2;            // not told
  std::int32_t leader_epoch = -2;
  std::string metadata{};
  bool operator==(const Fetched&) const = default;
};

/// Of t-0, or of the only partition that the group has.
inline Fetched fetch(TestNode& node, std::int16_t version = 9, const Uuid& id = {}, bool all = false,
                     std::string_view group = "g") {
  const std::int32_t index = 0;
  const auto tell = [](const auto& topics, ErrorCode error) {
    if (error != ErrorCode::kNone || topics.empty() || topics[0].partitions.empty()) return Fetched{error};
    const auto& told = topics[0].partitions[0];
    return Fetched{told.error_code, told.committed_offset, told.committed_leader_epoch,
                   std::string(told.metadata.value_or("null"))};
  };
  OffsetFetchRequest request;
  if (version < 8) {
    OffsetFetchRequest::Topic topic{"t", {&index, 1}};
    request.group_id = group;
    if (!all) request.topics = std::span<const OffsetFetchRequest::Topic>(&topic, 1);
    if (all) request.topics = std::nullopt;
    const auto response = node.ask<OffsetFetchResponse>(request, version);
    return tell(response.topics, response.error_code);
  }
  OffsetFetchRequest::Topics topic;
  if (version >= 10) {
    topic.topic_id = id;
  } else {
    topic.name = "t";
  }
  topic.partition_indexes = {&index, 1};
  OffsetFetchRequest::Group asked;
  asked.group_id = group;
  if (all) {
    asked.topics = std::nullopt;
  } else {
    asked.topics = std::span<const OffsetFetchRequest::Topics>(&topic, 1);
  }
  request.groups = {&asked, 1};
  const auto response = node.ask<OffsetFetchResponse>(request, version);
  return tell(response.groups[0].topics, response.groups[0].error_code);
}

struct Described {
  ErrorCode error = ErrorCode::kNone;
  std::string state;
  std::string protocol;
  std::size_t members = 0;
  std::string host;
};

inline Described describe(TestNode& node, std::int16_t version = 6) {
  const std::string_view group = "g";
  DescribeGroupsRequest request;
  request.groups = {&group, 1};
  const auto response = node.ask<DescribeGroupsResponse>(request, version);
  const auto& told = response.groups[0];
  return {told.error_code, std::string(told.group_state), std::string(told.protocol_data), told.members.size(),
          told.members.empty() ? "" : std::string(told.members[0].client_host)};
}

inline ErrorCode delete_group(TestNode& node, std::int16_t version = 2) {
  const std::string_view group = "g";
  DeleteGroupsRequest request;
  request.groups_names = {&group, 1};
  return node.ask<DeleteGroupsResponse>(request, version).results[0].error_code;
}

}  // namespace braid::broker
