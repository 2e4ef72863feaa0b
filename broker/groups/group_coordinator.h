#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/config.h"
#include "broker/groups/group_log.h"
#include "broker/metadata/metadata_log.h"
#include "broker/metadata/topics.h"
#include "broker/runtime/workers.h"
#include "protocol/messages/error_code.h"

namespace braid::broker {

inline constexpr std::string_view kOffsetsTopic = "__consumer_offsets";

/// The broker's groups: which partition of __consumer_offsets has which, and when each of them is looked at though
/// nobody asks. All of it is the lane's.
class GroupCoordinator {
 public:
  /// All outlive it.
  GroupCoordinator(Shard& shard, MetadataLog& metadata, Topics& topics, Workers& workers, const Config& config);

  /// Once the metadata is there: begins to load what there is, while the broker serves.
  void start();
  /// Members that wait are told to look for their coordinator again; for a stop.
  void end_waiting();

  /// Makes the topic if need be; when it is there the coordinator is. COORDINATOR_NOT_AVAILABLE: there was no room.
  boost::asio::awaitable<protocol::ErrorCode> prepare();

  struct Access {
    GroupLog* log = nullptr;  // null: there is an error
    protocol::ErrorCode error = protocol::ErrorCode::kNone;
  };
  /// The log of a group, when it can take a question: the caller asks before it waits for anything.
  /// NOT_COORDINATOR before anybody has looked for one, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE.
  boost::asio::awaitable<Access> access(std::string_view group_id);
  /// All of them; none before the topic is there. Loaded or not.
  std::span<const std::unique_ptr<GroupLog>> logs();

  GroupTime time() const { return {shard_.clock().now(), shard_.clock().wall_now()}; }
  /// What the machine has decided is written, timers are looked at. GroupLog::durable().
  boost::asio::awaitable<bool> settle(GroupLog& log, GroupOutcome outcome);
  /// The same without waiting, for those who wait for an answer first.
  void write(GroupLog& log, GroupOutcome outcome);

 private:
  bool attach();
  GroupLog& log_of(std::string_view group_id);
  boost::asio::awaitable<void> load_all();
  boost::asio::awaitable<void> expire_offsets();
  void arm();
  void tick();

  Shard& shard_;
  MetadataLog& metadata_;
  Topics& topics_;
  Workers& workers_;
  const Config& config_;
  const GroupLogSettings settings_;
  std::vector<std::unique_ptr<GroupLog>> logs_;  // by partition
  boost::asio::steady_timer timer_;
  std::optional<protocol::Instant> armed_for_;
  boost::asio::steady_timer expiry_timer_;
};

}  // namespace braid::broker
