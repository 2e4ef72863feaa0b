#pragma once

#include <boost/intrusive/list.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/groups/group_requests.h"
#include "broker/groups/group_timers.h"
#include "protocol/base/bytes.h"

namespace braid::broker {

/// A member of a classic group. Owned by its Group, in whose order of joining it has a place.
struct GroupMember
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  using Protocols = std::vector<std::pair<std::string, protocol::Bytes>>;  // name and metadata, best first

  GroupMember(const std::string& group_id, std::string member_id)
      : id(std::move(member_id)), timer(GroupTimerKind::kMember, group_id, id) {}

  std::string id;
  std::optional<std::string> instance_id;  // a static member's (KIP-345)
  std::string client_id;
  std::string client_host;
  std::chrono::milliseconds session_timeout{};
  std::chrono::milliseconds rebalance_timeout{};
  Protocols protocols;
  protocol::Bytes assignment;
  GroupTimer timer;  // runs while it has nothing to wait for, or is new

  std::optional<Ticket> join;  // it waits for the rebalance
  std::optional<Ticket> sync;  // it waits for its assignment
  bool sync_pending = false;   // it has not asked for its assignment of this generation

  bool waits_for_join() const { return join.has_value(); }
  bool is_static() const { return instance_id.has_value(); }
  /// Null when it does not speak the protocol.
  const protocol::Bytes* metadata(std::string_view protocol) const;
  bool has_same(const std::vector<JoinProtocol>& others) const;
};

}  // namespace braid::broker
