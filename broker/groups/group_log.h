#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/groups/group_machine.h"
#include "broker/partition/shard.h"
#include "broker/runtime/wake.h"
#include "broker/runtime/workers.h"
#include "protocol/records/compression.h"
#include "protocol/records/decompression.h"
#include "protocol/records/record_batch.h"

namespace braid::broker {

/// What all logs of groups share.
struct GroupLogSettings {
  GroupSettings groups;
  protocol::Codec codec = protocol::Codec::kNone;  // of what is written
};

/// One partition of __consumer_offsets and the machine of its groups: what the machine decides is appended, replayed at
/// once, and answered when the log is as durable as the topic asks. A decision for which there is no room waits with
/// its answers, and then the log takes no question. All of it is the lane's.
class GroupLog {
 public:
  /// All outlive it. `room_made` is called when a decision waits no more: timers may run again.
  GroupLog(Shard& shard, Partition& partition, const GroupLogSettings& settings, std::function<void()> room_made);

  /// Replays the partition, reading on the workers. What can't be read is reported and passed over. `is_topic`: offsets
  /// of other topics are forgotten, which an end in the middle of their deletion has left.
  boost::asio::awaitable<void> load(Workers& workers, std::function<bool(std::string_view)> is_topic);
  /// Until then its answer to everything is COORDINATOR_LOAD_IN_PROGRESS.
  bool is_loaded() const { return loaded_; }
  /// No question and no tick while a decision waits for room.
  bool decision_waits() const { return waiting_.has_value(); }
  bool disk_is_full() const { return disk_full_; }

  GroupMachine& machine() { return machine_; }
  Partition& partition() { return partition_; }
  Ticket next_ticket() { return Ticket{++last_ticket_}; }

  /// What the machine has just decided. Only when no decision waits.
  void write(GroupOutcome outcome);
  /// All that was written so far will not be lost. False: the store failed, and nobody may be told anything.
  boost::asio::awaitable<bool> durable();
  /// Once a ticket; not before it is given to the machine. Then durable().
  boost::asio::awaitable<JoinAnswer> join_answer(Ticket ticket);
  boost::asio::awaitable<SyncAnswer> sync_answer(Ticket ticket);
  /// All members that wait are told so; for a stop.
  void end_waiting(protocol::ErrorCode error);

  /// Now, or as soon as the log can take it: before any question that comes later.
  void topic_removed(std::string_view topic);

 private:
  template <class Answer>
  struct Answers {
    boost::unordered_flat_map<std::uint64_t, Answer> given;
    boost::unordered_flat_map<std::uint64_t, Wake*> awaited;
  };
  template <class Answer>
  void release(Answers<Answer>& answers, std::vector<std::pair<Ticket, Answer>>& released);
  template <class Answer>
  boost::asio::awaitable<Answer> answer_to(Answers<Answer>& answers, Ticket ticket);

  /// The decision's records, as far as there is room; true: all of them, and its answers are released.
  bool finish(GroupOutcome& outcome);
  protocol::Result<std::size_t> append_some(std::span<const GroupRecord> records);
  boost::asio::awaitable<void> finish_waiting();
  void forget_removed_topics();
  void forget_unknown_topics(const std::function<bool(std::string_view)>& is_topic);
  void compact_if_worth_it();
  boost::asio::awaitable<void> compact();

  protocol::Result<void> replay_batch(const protocol::RecordBatch& batch);
  void report(const std::string& what);

  Shard& shard_;
  Partition& partition_;
  const GroupLogSettings& settings_;
  const std::function<void()> room_made_;
  GroupMachine machine_;
  protocol::Compressor compressor_;
  protocol::Decompressor decompressor_;
  bool loaded_ = false;
  bool disk_full_ = false;
  bool compacting_ = false;
  std::optional<GroupOutcome> waiting_;
  std::vector<std::string> removed_topics_;  // still to be forgotten
  storage::LogPosition end_position_{};      // of the last record
  std::int64_t written_bytes_ = 0;           // keys and values since the log start, or since a compaction began
  std::uint64_t last_ticket_ = 0;
  Answers<JoinAnswer> joins_;
  Answers<SyncAnswer> syncs_;
};

}  // namespace braid::broker
