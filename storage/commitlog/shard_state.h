#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/consume_queue.h"
#include "storage/commitlog/control_entry.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/partition_record.h"
#include "storage/commitlog/slice_map.h"
#include "storage/epoch_history.h"
#include "storage/start_offset.h"
#include "storage/types.h"

namespace braid::storage {

/// What readers on other threads need of a partition while the lane goes on. Shared; only the atomics change.
struct PartitionIdentity {
  TopicId topic;
  QueueId queue;
  std::string name;
  std::atomic<std::uint64_t> generation{0};
  std::atomic<std::int64_t> start{0};  // as the lane decided it: what is below may be gone
  /// Somebody met a unit in the queue's files that does not lead to what it should.
  mutable std::atomic<bool> queue_doubted{false};
};

/// A partition as the log's entries have made it. Its end is its queue's.
struct ShardPartition {
  std::shared_ptr<PartitionIdentity> identity;
  PartitionId id;
  std::uint32_t indexing = 0;
  bool provisional = false;  // batches of it were replayed, but nothing yet said that it exists
  StartOffset start;
  EpochHistory epochs;
  ConsumeQueue queue;
  Offset kept_as_of;
  protocol::Bytes kept;
};

/// A removed partition of which the queue's directory may still be there.
struct Removal {
  TopicId topic = {};
  QueueId queue = {};
  std::string name = {};
  LogPosition entry_end = {};  // of the entry that says so
  bool topic_gone = false;     // it was the topic's last
};

/// All that a shard knows, as a function of its log's entries: apply() is the only way in which they change it, when
/// they are appended and when they are replayed. (What the layer above keeps with a partition is not the log's.)
///
/// The lane's. It never touches a file.
class ShardState {
 public:
  explicit ShardState(LogGeometry geometry) : geometry_(geometry) {}

  /// Effects of one entry, the next in the log. `tags`: of a batch, one an offset or none. `synced`: how far the log
  /// is.
  void apply(const EntryHeader& header, ByteView payload, std::span<const std::int64_t> tags, LogPosition synced);

  std::optional<PartitionId> find(const TopicId& topic, QueueId queue) const;
  ShardPartition* partition(PartitionId id);
  const ShardPartition* partition(PartitionId id) const;
  const std::map<PartitionId, ShardPartition>& partitions() const { return partitions_; }
  std::map<PartitionId, ShardPartition>& partitions() { return partitions_; }
  PartitionRecord record(const ShardPartition& partition) const;

  const SliceMap& slices() const { return slices_; }
  SliceMap& slices() { return slices_; }
  /// Said to be freed.
  const std::set<LogPosition>& freed() const { return freed_; }
  /// An entry says that the file was freed, or a complete snapshot behind it does not keep it: it may be missing.
  bool may_be_missing(LogPosition file) const {
    return freed_.contains(file) || (file < geometry_.file_of(snapshot_position_) && !kept_.contains(file));
  }
  std::vector<Removal>& removals() { return removals_; }
  const std::vector<Removal>& removals() const { return removals_; }
  std::uint32_t incarnation() const { return incarnation_; }
  std::int64_t append_time() const { return append_time_; }

  /// From a checkpoint.
  void restore(std::uint32_t incarnation, std::int64_t append_time);
  PartitionId restore(const PartitionRecord& record, ConsumeQueue queue);

 private:
  ShardPartition& create(const TopicId& topic, QueueId queue, Offset start);
  /// The one that an entry speaks of; made provisionally when nothing was heard of it.
  ShardPartition& spoken_of(const EntryHeader& header);
  void apply_batch(const EntryHeader& header, std::span<const std::int64_t> tags);
  void apply_created(const EntryHeader& header, ByteView payload);
  void apply_removed(const EntryHeader& header);
  void apply_start_moved(const EntryHeader& header, LogPosition synced);
  void apply_truncated(const EntryHeader& header);
  void truncate(ShardPartition& of, Offset end);
  void apply_incarnation(const EntryHeader& header);
  void apply_snapshot(const EntryHeader& header, ByteView payload);
  void complete_snapshot();
  void apply_record(const PartitionRecord& record);
  void erase(PartitionId id, LogPosition entry_end);

  const LogGeometry geometry_;
  std::map<PartitionId, ShardPartition> partitions_;
  std::map<std::pair<TopicId, QueueId>, PartitionId> ids_;
  std::uint32_t next_id_ = 1;
  SliceMap slices_;
  std::set<LogPosition> freed_;
  std::set<LogPosition> kept_;  // files that the newest complete snapshot keeps
  LogPosition snapshot_position_;
  std::vector<Removal> removals_;
  std::uint32_t incarnation_ = 0;
  std::int64_t append_time_ = 0;
  std::optional<SnapshotPiece> snapshot_;  // as far as it came
  std::int64_t snapshot_pieces_ = 0;
};

}  // namespace braid::storage
