#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/limits.h"
#include "protocol/base/result.h"
#include "storage/commitlog/consume_queue_files.h"
#include "storage/commitlog/flush_policy.h"
#include "storage/commitlog/identity.h"
#include "storage/commitlog/log_appender.h"
#include "storage/commitlog/log_progress.h"
#include "storage/commitlog/log_reader.h"
#include "storage/commitlog/log_room.h"
#include "storage/commitlog/log_writer.h"
#include "storage/commitlog/open_files.h"
#include "storage/commitlog/recovery.h"
#include "storage/commitlog/shard_state.h"
#include "storage/commitlog/store_chores.h"
#include "storage/commitlog/tail.h"
#include "storage/env/file_system.h"
#include "storage/log_store.h"

namespace braid::storage {

struct CommitLogOptions {
  Identity new_store;  // ids, seed and file size of a store that is made; an existing one keeps its own
  std::int64_t tail_bytes = std::int64_t{64} << 20;  // commitlog.tail.bytes
  AsyncBounds bounds;
  TagSource tags;              // null: a rebuilt queue has no tags
  bool from_log_only = false;  // build everything derived anew

  // Sizes that tests make small.
  std::int64_t slab_bytes = protocol::kSlabBytes;
  std::int64_t prepared_piece_bytes = protocol::kPreparedPieceBytes;
  std::int64_t prepared_bytes_min = protocol::kPreparedBytesMin;
  std::int64_t prepared_bytes_max = protocol::kPreparedBytesMax;
  std::int64_t essential_bytes = protocol::kEssentialBytes;
  std::size_t pooled_files_max = protocol::kPooledFilesMax;
  std::int64_t checkpoint_interval_bytes = protocol::kCheckpointIntervalBytes;
  std::size_t queue_memory_bytes = protocol::kQueueMemoryBytes;
  std::size_t queue_round_bytes = protocol::kQueueRoundBytes;
  std::size_t queues_checked_at_open = protocol::kQueuesCheckedAtOpenMax;
};

/// The shared log of a shard with its queues: docs/storage.md. Contract and threads: LogStore.
class CommitLogStore final : public LogStore {
 public:
  /// Opens the store in the root of `files`, which outlives it; makes it when there is nothing. Recovers, takes a new
  /// incarnation, and is ready to append. in_use, foreign, no_identity; disk_full when not even that fits.
  static Result<std::unique_ptr<CommitLogStore>> open(FileSystem& files, CommitLogOptions options,
                                                      protocol::WallTime now);
  /// What opening found, and the queues that were found to be damaged since. Lane.
  const RecoveryReport& report() const { return report_; }
  /// The clean stop: all is synced, a checkpoint says so, prepared blocks are given back. No other thread is in the
  /// store; nothing but the destructor follows. Without it the next open recovers.
  Result<void> close();

  Result<Created> create(const PartitionSpec& spec) override;
  Result<LogPosition> remove(PartitionId partition) override;
  std::optional<PartitionId> find(const TopicId& topic, QueueId queue) const override;
  std::vector<PartitionId> partitions() const override;
  PartitionView view(PartitionId partition) const override;
  Result<Reservation> reserve(std::size_t bytes, Purpose purpose) override;
  std::size_t entry_bytes(std::size_t batch_bytes) const override;
  Appended append(PartitionId partition, const Batch& batch, Reservation& reservation) override;
  Result<LogPosition> start_epoch(PartitionId partition, LeaderEpoch epoch) override;
  Result<LogPosition> truncate(PartitionId partition, Offset end) override;
  Result<LogPosition> trim(PartitionId partition, Offset start) override;
  Result<ReadPlan> plan_read(PartitionId partition, const ReadRequest& request) override;
  Result<ReadBatches> read(const ReadPlan& plan) override { return reader_.read(plan); }
  Offset find_time(PartitionId partition, std::int64_t timestamp) const override;
  void keep_state(PartitionId partition, Offset as_of, ByteView state) override;
  Progress progress() const override { return progress_.snapshot(); }
  void request_sync() override { progress_.want_sync(); }
  Result<Step> write_out(protocol::Instant now) override { return writer_->step(now); }
  std::optional<protocol::Instant> next_write_out() const override { return writer_->next_sync(); }
  bool wants_write_out() const override { return progress_.wants_write_out(); }
  std::unique_ptr<Chore> next_chore(protocol::Instant now) override;
  Result<void> finish(std::unique_ptr<Chore> chore) override;

  /// Live log files, for tests and for those who ask where the bytes are.
  const ShardState& state() const { return state_; }

 private:
  /// Where the freeing of dead files stands; each step waits until the one before is synced.
  enum class Freeing { kNone, kSnapshot, kFreed, kCheckpoint };

  CommitLogStore(FileSystem& files, CommitLogOptions options, const Identity& identity, std::unique_ptr<FileLock> lock,
                 RecoveredShard recovered);

  static Result<std::unique_ptr<CommitLogStore>> make(FileSystem& files, CommitLogOptions options,
                                                      const Identity& identity, std::unique_ptr<FileLock> lock,
                                                      RecoveredShard recovered, const RecoveryReport& before,
                                                      protocol::WallTime now);
  Result<void> start(ByteView last_block, protocol::WallTime now);
  /// An entry that is answered when it is synced.
  Result<LogPosition> control(EntryHeader header, ByteView payload);
  static EntryHeader about(const ShardPartition& partition, EntryType type, Offset base);
  Result<Offset> batch_base(const ShardPartition& partition, Offset within);

  std::unique_ptr<Chore> prepare_chore();
  std::unique_ptr<Chore> queue_chore();
  /// Its queue has grown from this many waiting bytes.
  void note_queue_growth(PartitionId partition, const ConsumeQueue& queue, std::size_t before);
  std::unique_ptr<Chore> removal_chore();
  std::unique_ptr<Chore> checkpoint_chore();
  std::unique_ptr<Chore> files_chore();
  std::unique_ptr<Chore> check_chore();
  std::unique_ptr<Chore> rebuild_chore();
  std::shared_ptr<QueueRebuild> rebuild_of(const std::vector<PartitionId>& partitions);
  Result<void> rebuild_now(const std::vector<PartitionId>& damaged);
  /// Its files are to be built anew, unless that was done already.
  void rebuild_queue(PartitionId partition);
  /// Something died, or a file is full: look for files to free when the log is synced up to here.
  void note_dead_bytes() {
    look_for_dead_files_ = true;
    died_position_ = tail_.end();
  }
  void mark_idle(protocol::Instant now);
  void step_freeing();
  std::vector<LogPosition> dead_files() const;
  Result<void> append_snapshot();
  Result<void> append_freed();
  void begin_checkpoint();
  std::int64_t prepared_target() const;
  std::int64_t prepared_ahead() const;
  void watch_growth(protocol::Instant now);

  FileSystem& files_;
  const CommitLogOptions options_;
  const Identity identity_;
  const LogGeometry geometry_;
  const std::unique_ptr<FileLock> lock_;
  RecoveryReport report_;

  // The lane's, but for what each class says is any thread's.
  ShardState state_;
  Tail tail_;
  LogProgress progress_;
  LogRoom room_;
  LogAppender appender_;
  OpenFiles log_files_;
  OpenFiles queue_files_;
  ConsumeQueueFiles queues_;
  LogReader reader_;
  std::unique_ptr<LogWriter> writer_;

  bool chore_is_out_ = false;
  std::int64_t appended_since_open_ = 0;
  LogPosition allocated_;  // blocks exist up to here, not yet all for the room to give away
  LogPosition growth_from_;
  protocol::Instant growth_since_{};
  bool grows_fast_ = false;
  protocol::Instant now_{};                    // of the last next_chore
  std::optional<protocol::Instant> retry_at_;  // the disk was full: nothing grows before
  std::vector<PartitionId> full_queues_;       // may name one twice, or one that is gone
  std::size_t queue_bytes_gathered_ = 0;       // since the last round of write-outs began
  bool queue_round_ = false;                   // goes on until no queue is full
  // Queues of which the files were found to be damaged: each is built anew once while the store is open.
  std::vector<PartitionId> queues_to_rebuild_;
  std::shared_ptr<QueueRebuild> rebuild_;
  // What the open left unread, for maintenance to look at: queues, the last ones first, and a checkpoint slot.
  std::vector<PartitionId> unchecked_queues_;
  std::optional<int> unchecked_slot_;
  std::uint64_t checkpoint_sequence_;
  int checkpoint_slot_;
  LogPosition checkpointed_;    // of the last one that is on disk
  protocol::Bytes checkpoint_;  // encoded, waits until the log is synced up to its position
  LogPosition checkpoint_position_;
  bool checkpoint_wanted_ = false;
  bool kept_changed_ = false;  // since the last checkpoint was made: nothing else would say so
  bool look_for_dead_files_ = true;
  LogPosition died_position_;
  Freeing freeing_ = Freeing::kNone;
  std::vector<LogPosition> dying_;        // being freed
  LogPosition freeing_position_;          // the step that must be synced
  std::vector<LogPosition> freed_files_;  // to remove, or to use again
  std::vector<LogPosition> pool_;         // freed, and waiting to be the log's next
  LogPosition idle_end_;
  protocol::Instant idle_since_{};
  LogPosition marked_end_;
};

}  // namespace braid::storage
