#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/groups/group_member.h"
#include "broker/groups/group_requests.h"
#include "broker/groups/group_state.h"
#include "broker/groups/group_timers.h"
#include "protocol/messages/cg_02_group_metadata.h"

namespace braid::broker {

/// One classic group as it lives: who is in it, who waits, what is agreed. It keeps its own counts right and knows the
/// rules that need no more than itself; what follows from what is GroupMachine's. Each change costs the same however
/// many members there are, but for what is said to look at all of them.
class Group {
 public:
  using Members = boost::intrusive::list<GroupMember, boost::intrusive::constant_time_size<false>>;

  explicit Group(std::string id)
      : id_(std::move(id)), join_timer_(GroupTimerKind::kJoin, id_), sync_timer_(GroupTimerKind::kSync, id_) {}
  /// As its record says: Stable if it had members. Errc::malformed, Errc::unsupported_version.
  static protocol::Result<std::unique_ptr<Group>> from_record(const std::string& id, protocol::ByteView value);

  const std::string& id() const { return id_; }
  GroupState state() const { return state_; }
  /// The state before this one.
  GroupState previous_state() const { return previous_state_; }
  void enter(GroupState state, protocol::WallTime now);
  /// When it got into its state; -1: long ago.
  std::int64_t state_since() const { return state_since_; }

  std::int32_t generation() const { return generation_; }
  const std::optional<std::string>& protocol_type() const { return protocol_type_; }
  const std::optional<std::string>& protocol_name() const { return protocol_name_; }
  const std::optional<std::string>& leader() const { return leader_; }
  bool is_leader(std::string_view member_id) const { return leader_ && *leader_ == member_id; }

  // -- members

  std::size_t size() const { return by_id_.size(); }
  /// In the order in which they joined.
  Members& members() { return members_; }
  const Members& members() const { return members_; }
  /// Null when there is none.
  GroupMember* find(std::string_view member_id);
  GroupMember* find_instance(std::string_view instance_id);
  /// Who claims to be a member is one, under this id: UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID.
  protocol::ErrorCode check_member(const MemberClaim& claim);
  GroupMember& add(std::string member_id, const JoinQuestion& question);
  /// Everything that a JoinGroup says about a member that is there.
  void update(GroupMember& member, const JoinQuestion& question);
  /// The same member, restarted: under its new id.
  void rename(GroupMember& member, const std::string& new_id);
  /// Its tickets were answered.
  void remove(GroupMember& member);

  void park_join(GroupMember& member, Ticket ticket);
  std::optional<Ticket> take_join(GroupMember& member);
  std::size_t waiting_for_join() const { return waiting_for_join_; }
  bool all_have_joined() const { return waiting_for_join_ == size() && pending_.empty(); }
  void set_sync_pending(GroupMember& member, bool pending);
  bool all_have_synced() const { return sync_pending_ == 0; }

  // -- member ids that were handed out and not used

  bool is_pending(std::string_view member_id) const { return pending_.find(member_id) != pending_.end(); }
  std::size_t pending_count() const { return pending_.size(); }
  GroupTimer& add_pending(const std::string& member_id);
  void remove_pending(std::string_view member_id);

  // -- what is agreed

  /// A member with these protocols could be one of them all: the type is theirs, and one of the protocols is
  /// everybody's.
  bool supports(std::string_view protocol_type, const std::vector<JoinProtocol>& protocols) const;
  /// By votes among what all support: each member for the first in its list. Looks at all members, of which there is
  /// one at least.
  std::string voted_protocol() const;
  /// The largest of its members'. Looks at all of them.
  std::chrono::milliseconds rebalance_timeout() const;
  /// The first that has joined, unless the leader did. False: nobody has. Looks at all members at worst.
  bool elect_joined_leader();
  void start_generation(protocol::WallTime now);
  /// Topics that its consumers subscribe to; none: it is no group of consumers. Looks at all members.
  std::optional<std::set<std::string, std::less<>>> subscribed_topics() const;
  bool uses_consumer_protocol() const { return protocol_type_ == "consumer"; }

  /// What the members of the current generation are told.
  std::vector<JoinedMember> joined_members() const;
  /// Members, assignments and generation.
  GroupRecord record() const;

  GroupTimer& join_timer() { return join_timer_; }
  GroupTimer& sync_timer() { return sync_timer_; }

  // Of the first rebalance (KIP-134):
  bool member_added_meanwhile = false;
  std::chrono::milliseconds initial_delay_left{};
  /// When the members were asked to join again.
  protocol::Instant rebalance_started{};

 private:
  void count_protocols(const GroupMember& member, int change);

  const std::string id_;
  GroupState state_ = GroupState::kEmpty;
  GroupState previous_state_ = GroupState::kEmpty;
  std::int64_t state_since_ = -1;
  std::int32_t generation_ = 0;
  std::optional<std::string> protocol_type_;
  std::optional<std::string> protocol_name_;
  std::optional<std::string> leader_;
  Members members_;
  boost::unordered_flat_map<std::string, std::unique_ptr<GroupMember>> by_id_;
  std::map<std::string, GroupMember*, std::less<>> by_instance_;
  std::map<std::string, GroupTimer, std::less<>> pending_;
  std::map<std::string, std::size_t, std::less<>> supporters_;  // of each protocol
  std::size_t waiting_for_join_ = 0;
  std::size_t sync_pending_ = 0;
  GroupTimer join_timer_;
  GroupTimer sync_timer_;
};

}  // namespace braid::broker
