#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/groups/durable_groups.h"
#include "broker/groups/group.h"
#include "broker/groups/group_requests.h"
#include "broker/groups/group_timers.h"
#include "protocol/base/result.h"
#include "protocol/messages/error_code.h"

namespace braid::broker {

/// What the broker's configuration says about groups.
struct GroupSettings {
  std::chrono::milliseconds session_timeout_min{6'000};
  std::chrono::milliseconds session_timeout_max{1'800'000};
  std::chrono::milliseconds initial_rebalance_delay{3'000};
  std::size_t size_max = 2'147'483'647;
  std::size_t offset_metadata_bytes_max = 4096;
  std::int64_t offsets_retention_ms = std::int64_t{10'080} * 60'000;
};

/// The classic groups of one internal partition as a state machine: questions and timers look at the state and give
/// records and answers; what is durable changes only by replay() of those records, which the owner does in their order
/// when it has written them. Sessions and waiting members are soft: a start forgets them. No clock, no disk, no socket,
/// no randomness. One thread.
///
/// The rules are those of Kafka's group coordinator for the classic protocol (KIP-62, 134, 345, 389, 394, 814).
class GroupMachine {
 public:
  /// The settings outlive it.
  explicit GroupMachine(const GroupSettings& settings) : settings_(settings) {}

  // -- what is durable

  /// DurableGroups::replay.
  protocol::Result<void> replay(protocol::ByteView key, const std::optional<protocol::ByteView>& value) {
    return durable_.replay(key, value);
  }
  /// All records of a start were replayed: groups live again, and each member has a session timeout to show up.
  void finish_loading(GroupTime time);
  const DurableGroups& durable() const { return durable_; }

  // -- members

  /// Answered in this outcome or a later one.
  void join(const JoinQuestion& question, Ticket ticket, GroupTime time, GroupOutcome& out);
  void sync(const SyncQuestion& question, Ticket ticket, GroupTime time, GroupOutcome& out);
  protocol::ErrorCode heartbeat(std::string_view group_id, const MemberClaim& claim, GroupTime time);
  /// One error for each leaver.
  std::vector<protocol::ErrorCode> leave(std::string_view group_id, const std::vector<Leaver>& leavers, GroupTime time,
                                         GroupOutcome& out);

  // -- offsets

  /// One error for each offset.
  std::vector<protocol::ErrorCode> commit(const CommitQuestion& question, GroupTime time, GroupOutcome& out);
  struct PartitionOfTopic {
    std::string_view topic;
    std::int32_t partition = 0;
  };
  struct DeletedOffsets {
    protocol::ErrorCode error = protocol::ErrorCode::kNone;  // of all
    std::vector<protocol::ErrorCode> errors;                 // of each, without it
  };
  DeletedOffsets delete_offsets(std::string_view group_id, const std::vector<PartitionOfTopic>& partitions,
                                GroupOutcome& out);
  /// Every group's offsets of a topic that is gone.
  void remove_topic(std::string_view topic, GroupOutcome& out);
  /// Forgets what has expired in some groups behind `after` (none: from the first), and groups that have nothing left;
  /// the last one looked at, none at the end.
  std::optional<std::string> expire_offsets(const std::optional<std::string>& after, GroupTime time, GroupOutcome& out);

  // -- administration

  /// Dead: there is no such group.
  DescribedGroup describe(std::string_view group_id);
  std::vector<ListedGroup> list() const;
  /// NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND.
  protocol::ErrorCode remove_group(std::string_view group_id, GroupOutcome& out);

  // -- timers

  std::optional<protocol::Instant> next_due() const { return timers_.next_due(); }
  /// Handles what is due.
  void tick(GroupTime time, GroupOutcome& out);
  /// Nobody waits any more: all get the error.
  void end_waiting(protocol::ErrorCode error, GroupOutcome& out);

  std::size_t group_count() const;

 private:
  Group* find(std::string_view group_id);
  void drop_if_unused(Group& group);

  // Answers.
  static void refuse_join(Ticket ticket, std::string_view member_id, protocol::ErrorCode error, GroupOutcome& out);
  void answer_join(Group& group, GroupMember& member, JoinAnswer answer, GroupTime time, GroupOutcome& out);
  static JoinAnswer joined_answer(const Group& group, const GroupMember& member);
  static void answer_sync(const Group& group, GroupMember& member, protocol::ErrorCode error, GroupOutcome& out);
  void restart_session(GroupMember& member, GroupTime time);
  static void end_waiting(Group& group, GroupMember& member, protocol::ErrorCode error, GroupOutcome& out);

  // Joining.
  protocol::ErrorCode check_room(Group* group, const JoinQuestion& question);
  void join_new(Group& group, const JoinQuestion& question, Ticket ticket, GroupTime time, GroupOutcome& out);
  void join_again(Group& group, const JoinQuestion& question, Ticket ticket, GroupTime time, GroupOutcome& out);
  void replace_static(Group& group, GroupMember& member, const JoinQuestion& question, Ticket ticket, GroupTime time,
                      GroupOutcome& out);
  void add_and_rebalance(Group& group, std::string member_id, const JoinQuestion& question, Ticket ticket,
                         GroupTime time, GroupOutcome& out);
  void update_and_rebalance(Group& group, GroupMember& member, const JoinQuestion& question, Ticket ticket,
                            GroupTime time, GroupOutcome& out);
  void park_join(Group& group, GroupMember& member, Ticket ticket, GroupOutcome& out);

  // Rebalancing.
  void rebalance_or_complete(Group& group, GroupTime time, GroupOutcome& out);
  void start_rebalance(Group& group, GroupTime time, GroupOutcome& out);
  void complete_join_if_ready(Group& group, GroupTime time, GroupOutcome& out);
  void complete_join(Group& group, GroupTime time, GroupOutcome& out);
  void extend_or_complete_first_join(Group& group, GroupTime time, GroupOutcome& out);
  void remove_member(Group& group, GroupMember& member, protocol::ErrorCode error, GroupOutcome& out);
  void after_removal(Group& group, GroupTime time, GroupOutcome& out);
  void remove_unsynced(Group& group, GroupTime time, GroupOutcome& out);
  void timer_passed(const GroupTimer& timer, GroupTime time, GroupOutcome& out);

  // Syncing.
  static protocol::ErrorCode check_sync(Group& group, const SyncQuestion& question);
  void assign(Group& group, const SyncQuestion& question, GroupTime time, GroupOutcome& out);

  // Offsets.
  protocol::ErrorCode check_commit(Group* group, const CommitQuestion& question);
  struct Expiry {
    bool ever = false;        // false: nothing expires now
    bool by_state = false;    // from when the group became empty, else from each commit
    std::int64_t since = -1;  // by_state
    std::set<std::string, std::less<>> kept_topics{};
  };
  static Expiry expiry_of(const Group* group);
  bool has_expired(const CommittedOffset& committed, const Expiry& expiry, GroupTime time) const;
  void expire_group(const std::string& group_id, const DurableGroups::DurableGroup& durable, GroupTime time,
                    GroupOutcome& out);

  const GroupSettings& settings_;
  DurableGroups durable_;
  GroupTimers timers_;
  std::map<std::string, std::unique_ptr<Group>, std::less<>> live_;  // those that are more than offsets
};

}  // namespace braid::broker
