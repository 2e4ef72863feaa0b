#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "storage/commitlog/block_preparation.h"
#include "storage/commitlog/consume_queue_files.h"
#include "storage/commitlog/open_files.h"
#include "storage/commitlog/queue_check.h"
#include "storage/commitlog/queue_rebuild.h"
#include "storage/commitlog/shard_state.h"
#include "storage/env/file_system.h"
#include "storage/log_store.h"

/// What maintenance does for a CommitLogStore: each made by the lane with all it needs, run elsewhere, and looked at by
/// the lane when it is done.
namespace braid::storage {

/// A chore with an outcome.
class StoreChore : public Chore {
 public:
  enum class Kind {
    kAllocateBlocks,
    kZeroBlocks,
    kWriteQueues,
    kCheckpoint,
    kRemoveQueues,
    kRemoveFiles,
    kReuseFile,
    kRebuildQueues,
    kCheckDerived,
  };
  explicit StoreChore(Kind kind) : kind_(kind) {}

  Kind kind() const { return kind_; }
  const Result<void>& outcome() const { return outcome_; }
  bool found_disk_full() const;
  void run() final { outcome_ = work(); }

 protected:
  virtual Result<void> work() = 0;

 private:
  const Kind kind_;
  Result<void> outcome_ = protocol::ok();
};

/// Takes space ahead of the log; where there is not so much any more, a smaller piece.
class AllocateBlocks final : public StoreChore {
 public:
  AllocateBlocks(FileSystem& files, BlockPreparation preparation, BlockPreparation smaller)
      : StoreChore(Kind::kAllocateBlocks), files_(files), preparation_(preparation), smaller_(smaller) {}
  /// Of what was allocated.
  LogPosition end() const { return preparation_.end; }

 private:
  Result<void> work() override;

  FileSystem& files_;
  BlockPreparation preparation_;
  const BlockPreparation smaller_;
};

class ZeroBlocks final : public StoreChore {
 public:
  ZeroBlocks(FileSystem& files, BlockPreparation preparation)
      : StoreChore(Kind::kZeroBlocks), files_(files), preparation_(preparation) {}
  LogPosition end() const { return preparation_.end; }

 private:
  Result<void> work() override { return zero_blocks(files_, preparation_); }

  FileSystem& files_;
  const BlockPreparation preparation_;
};

/// Units of several queues, then one sync for all.
class WriteQueues final : public StoreChore {
 public:
  struct Item {
    PartitionId partition;
    std::shared_ptr<const PartitionIdentity> identity;
    Offset begin;  // files that lie wholly below it go
    QueueWrite units;
  };
  WriteQueues(FileSystem& files, ConsumeQueueFiles& queues, std::vector<Item> items)
      : StoreChore(Kind::kWriteQueues), files_(files), queues_(queues), items_(std::move(items)) {}
  const std::vector<Item>& items() const { return items_; }

 private:
  Result<void> work() override;

  FileSystem& files_;
  ConsumeQueueFiles& queues_;
  const std::vector<Item> items_;
};

class WriteCheckpoint final : public StoreChore {
 public:
  WriteCheckpoint(FileSystem& files, int slot, LogPosition position, protocol::Bytes bytes)
      : StoreChore(Kind::kCheckpoint), files_(files), slot_(slot), position_(position), bytes_(std::move(bytes)) {}
  LogPosition position() const { return position_; }

 private:
  Result<void> work() override;

  FileSystem& files_;
  const int slot_;
  const LogPosition position_;
  const protocol::Bytes bytes_;
};

class RemoveQueues final : public StoreChore {
 public:
  RemoveQueues(ConsumeQueueFiles& queues, std::vector<Removal> removals)
      : StoreChore(Kind::kRemoveQueues), queues_(queues), removals_(std::move(removals)) {}
  std::size_t count() const { return removals_.size(); }

 private:
  Result<void> work() override;

  ConsumeQueueFiles& queues_;
  const std::vector<Removal> removals_;
};

/// Takes freed log files away: some into the pool of those that will be used again, unless somebody reads them.
class RemoveFiles final : public StoreChore {
 public:
  struct Options {
    std::vector<LogPosition> log_files;
    std::int64_t file_bytes = 0;  // of a whole one: what a recovery cut is of no use
    std::size_t pooled_max = 0;
  };
  RemoveFiles(FileSystem& files, OpenFiles& open_files, Options options)
      : StoreChore(Kind::kRemoveFiles), files_(files), open_files_(open_files), options_(std::move(options)) {}
  /// Those that are in the pool now.
  const std::vector<LogPosition>& pooled() const { return pooled_; }

 private:
  Result<void> work() override;
  bool is_of_use(const std::string& path);

  FileSystem& files_;
  OpenFiles& open_files_;
  const Options options_;
  std::vector<LogPosition> pooled_;
};

/// Makes a file of the pool the log's next.
class ReuseFile final : public StoreChore {
 public:
  ReuseFile(FileSystem& files, LogPosition pooled, BlockPreparation whole)
      : StoreChore(Kind::kReuseFile), files_(files), pooled_(pooled), whole_(whole) {}
  LogPosition pooled() const { return pooled_; }
  LogPosition end() const { return whole_.end; }

 private:
  Result<void> work() override { return reuse_file(files_, pooled_, whole_); }

  FileSystem& files_;
  const LogPosition pooled_;
  const BlockPreparation whole_;
};

/// Looks at derived files that an open left unread, to find damage before somebody needs them. Changes nothing.
class CheckDerived final : public StoreChore {
 public:
  /// `slot`: of the checkpoint.
  CheckDerived(FileSystem& files, ConsumeQueueFiles& queues, const protocol::Uuid& store, std::optional<int> slot,
               std::vector<QueueInFiles> of)
      : StoreChore(Kind::kCheckDerived),
        files_(files),
        queues_(queues),
        store_(store),
        slot_(slot),
        of_(std::move(of)) {}
  std::optional<int> bad_slot() const { return slot_is_bad_ ? slot_ : std::nullopt; }
  const std::vector<PartitionId>& bad_queues() const { return bad_queues_; }

 private:
  Result<void> work() override;

  FileSystem& files_;
  ConsumeQueueFiles& queues_;
  const protocol::Uuid store_;
  const std::optional<int> slot_;
  const std::vector<QueueInFiles> of_;
  bool slot_is_bad_ = false;
  std::vector<PartitionId> bad_queues_;
};

/// One step of it.
class RebuildQueues final : public StoreChore {
 public:
  RebuildQueues(FileSystem& files, ConsumeQueueFiles& queues, std::shared_ptr<QueueRebuild> rebuild)
      : StoreChore(Kind::kRebuildQueues), files_(files), queues_(queues), rebuild_(std::move(rebuild)) {}

 private:
  Result<void> work() override;

  FileSystem& files_;
  ConsumeQueueFiles& queues_;
  const std::shared_ptr<QueueRebuild> rebuild_;
};

}  // namespace braid::storage
