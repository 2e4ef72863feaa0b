#pragma once

#include <boost/intrusive/set.hpp>
#include <optional>
#include <string>

#include "protocol/base/clock.h"

namespace braid::broker {

/// What is due when a timer of a group passes.
enum class GroupTimerKind : std::uint8_t {
  kMember,   // a member was silent for its session timeout
  kPending,  // a member id that was handed out was not used
  kJoin,     // the rebalance does not wait for more members
  kSync,     // members that did not ask for their assignment are removed
};

/// One timer, a part of what it belongs to: it ends with that. Set through GroupTimers.
class GroupTimer : public boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  GroupTimer(GroupTimerKind kind, std::string group_id, std::string member_id = {})
      : kind_(kind), group_id_(std::move(group_id)), member_id_(std::move(member_id)) {}
  GroupTimer(const GroupTimer&) = delete;
  GroupTimer& operator=(const GroupTimer&) = delete;

  GroupTimerKind kind() const { return kind_; }
  const std::string& group_id() const { return group_id_; }
  const std::string& member_id() const { return member_id_; }
  void set_member_id(std::string member_id) { member_id_ = std::move(member_id); }
  bool is_set() const { return is_linked(); }
  protocol::Instant due() const { return due_; }
  void cancel() { unlink(); }

 private:
  friend class GroupTimers;

  const GroupTimerKind kind_;
  const std::string group_id_;
  std::string member_id_;
  protocol::Instant due_{};
};

/// All timers of one internal partition's groups, by when they are due. It has no clock: whoever owns it asks.
class GroupTimers {
 public:
  /// Also when it is set already.
  void set(GroupTimer& timer, protocol::Instant due) {
    timer.unlink();
    timer.due_ = due;
    by_due_.insert(timer);
  }
  std::optional<protocol::Instant> next_due() const {
    return by_due_.empty() ? std::nullopt : std::optional(by_due_.begin()->due_);
  }
  /// The first one that is due by now, not set any more; null: none.
  GroupTimer* pop(protocol::Instant now) {
    if (by_due_.empty() || by_due_.begin()->due_ > now) return nullptr;
    GroupTimer& first = *by_due_.begin();
    first.unlink();
    return &first;
  }

 private:
  struct ByDue {
    bool operator()(const GroupTimer& left, const GroupTimer& right) const { return left.due_ < right.due_; }
  };
  // Equal ones stay in the order in which they were set, so that the same calls give the same results.
  boost::intrusive::multiset<GroupTimer, boost::intrusive::compare<ByDue>, boost::intrusive::constant_time_size<false>>
      by_due_;
};

}  // namespace braid::broker
