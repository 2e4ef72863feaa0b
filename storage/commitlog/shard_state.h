#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/control_entry.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/partition_index.h"
#include "storage/commitlog/partition_record.h"
#include "storage/commitlog/shard_partition.h"
#include "storage/types.h"

namespace braid::storage {

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

  /// The first positions of the log files that are there, with or without slices of partitions.
  const std::set<LogPosition>& files() const { return log_files_; }
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
  ShardPartition& restore(const PartitionRecord& record, ConsumeQueue queue);
  void restore_file(LogPosition file) { log_files_.insert(file); }

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
  PartitionIndex index_;  // into partitions_
  std::uint32_t next_id_ = 1;
  std::set<LogPosition> log_files_;
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
