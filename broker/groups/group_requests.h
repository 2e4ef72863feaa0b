#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/groups/group_record.h"
#include "broker/groups/group_state.h"
#include "protocol/base/bytes.h"
#include "protocol/base/clock.h"
#include "protocol/base/strong_int.h"
#include "protocol/messages/error_code.h"

/// What groups are asked and what they answer, without the versions of the wire. Questions are views of a request that
/// lives for the call; answers own what they say.
namespace braid::broker {

/// One moment on both clocks: timers run by the first, records tell the second.
struct GroupTime {
  protocol::Instant now;
  protocol::WallTime wall;
};

/// An answer that is still to be given; the caller's number for it.
using Ticket = protocol::StrongInt<struct TicketTag, std::uint64_t>;

/// Who asks, in which generation.
struct MemberClaim {
  std::string_view member_id;
  std::optional<std::string_view> instance_id;
  std::int32_t generation = -1;
};

struct JoinProtocol {
  std::string_view name;
  protocol::ByteView metadata;
};

struct JoinQuestion {
  std::string_view group_id;
  std::string_view member_id;
  std::optional<std::string_view> instance_id;
  std::string_view protocol_type;
  std::vector<JoinProtocol> protocols;  // best first
  std::chrono::milliseconds session_timeout{};
  std::chrono::milliseconds rebalance_timeout{};
  std::string_view client_id;
  std::string_view client_host;
  std::string_view fresh_member_id;       // for a member that has none
  bool member_id_required_first = false;  // a new dynamic member is only told its id and joins again (KIP-394)
  bool can_skip_assignment = false;       // it minds skip_assignment (KIP-814)
};

struct JoinedMember {
  std::string member_id;
  std::optional<std::string> instance_id;
  protocol::Bytes metadata;
};

struct JoinAnswer {
  protocol::ErrorCode error = protocol::ErrorCode::kNone;
  std::int32_t generation = -1;
  std::optional<std::string> protocol_type{};
  std::optional<std::string> protocol_name{};
  std::string leader{};
  std::string member_id{};
  bool skip_assignment = false;
  std::vector<JoinedMember> members{};  // for the leader
};

struct SyncQuestion {
  std::string_view group_id;
  MemberClaim claim;
  std::optional<std::string_view> protocol_type;
  std::optional<std::string_view> protocol_name;
  std::vector<std::pair<std::string_view, protocol::ByteView>> assignments;  // by member id; the leader's
};

struct SyncAnswer {
  protocol::ErrorCode error = protocol::ErrorCode::kNone;
  std::optional<std::string> protocol_type{};
  std::optional<std::string> protocol_name{};
  protocol::Bytes assignment{};
};

/// Somebody who is to leave; an empty member id with an instance id is an administrator's wish (KIP-345).
struct Leaver {
  std::string_view member_id;
  std::optional<std::string_view> instance_id;
};

struct OffsetToCommit {
  std::string_view topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int32_t leader_epoch = -1;
  std::string_view metadata;
};

struct CommitQuestion {
  std::string_view group_id;
  MemberClaim claim;
  std::optional<std::int64_t> retention_ms;  // of this commit only
  bool unknown_group_has_own_error = false;  // GROUP_ID_NOT_FOUND, where older clients know ILLEGAL_GENERATION only
  std::vector<OffsetToCommit> offsets;
};

struct DescribedMember {
  std::string member_id;
  std::optional<std::string> instance_id;
  std::string client_id;
  std::string client_host;
  protocol::Bytes metadata;
  protocol::Bytes assignment;
};

struct DescribedGroup {
  GroupState state = GroupState::kDead;
  std::string protocol_type;
  std::string protocol_name;  // only in a stable group, as are metadata
  std::vector<DescribedMember> members;
};

struct ListedGroup {
  std::string group_id;
  std::string protocol_type;
  GroupState state = GroupState::kEmpty;
};

/// What a question or a timer leads to: records that make it durable, and answers that were waited for. The answers may
/// leave when the records are durable.
struct GroupOutcome {
  std::vector<GroupRecord> records;
  std::vector<std::pair<Ticket, JoinAnswer>> joins;
  std::vector<std::pair<Ticket, SyncAnswer>> syncs;
};

}  // namespace braid::broker
