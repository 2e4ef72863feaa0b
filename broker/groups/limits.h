#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Bounds of the group coordinator, with their reasons.
namespace braid::broker {

/// Groups that one internal partition keeps in memory without a record of theirs: names that members ask for before
/// anything is written down. 100,000 take some 50 MiB, and end with the session timeouts of those members.
inline constexpr std::size_t kUnwrittenGroupsMax = 100'000;

/// Member ids of one group that were handed out and not used yet: ten times what large groups have as members.
inline constexpr std::size_t kPendingMembersMax = 20'000;

/// The records of one decision: the members and assignments of a group as one value, or a commit of 100,000 partitions.
/// Above it a commit is INVALID_COMMIT_OFFSET_SIZE, as in Kafka, and an assignment REBALANCE_IN_PROGRESS to nobody: it
/// is UNKNOWN_SERVER_ERROR, which Kafka answers when a group does not fit a batch.
inline constexpr std::size_t kGroupDecisionBytesMax = std::size_t{16} << 20;

/// A member whose first JoinGroup waits has no id to send heartbeats with; its client is given up after so long, as in
/// Kafka.
inline constexpr std::chrono::minutes kNewMemberJoinMax{5};

/// Offsets that one step of their expiry removes, and groups that it looks at: some milliseconds of the lane.
inline constexpr std::size_t kOffsetsExpiredAtOnceMax = 1000;
inline constexpr std::size_t kGroupsLookedAtOnceMax = 1000;

/// What a start reads at once of an internal partition: some milliseconds of the lane, while others are served.
inline constexpr std::size_t kGroupLoadBytes = 256 * 1024;
/// Content of one compressed batch there: eight times what one decision of ours may be.
inline constexpr std::size_t kGroupBatchContentBytesMax = std::size_t{128} << 20;

/// An internal partition is written anew when it has so much beyond twice what is alive: with 50 of them, 12.5 MiB.
inline constexpr std::int64_t kOffsetsCompactionBytesMin = 256 * 1024;
/// Live records in one step of it: one batch, a millisecond of the lane.
inline constexpr std::size_t kOffsetsCompactionPieceBytes = 256 * 1024;

}  // namespace braid::broker
