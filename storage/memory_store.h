#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "storage/epoch_history.h"
#include "storage/log_store.h"
#include "storage/start_offset.h"

namespace braid::storage {

/// A LogStore that keeps nothing: batches in memory, a log that is only counted. For development servers that may
/// forget, and as the second subject of the contract suite. write_out() "syncs" whatever there is.
class MemoryStore : public LogStore {
 public:
  Result<Created> create(const PartitionSpec& spec) override;
  Result<LogPosition> remove(PartitionId partition) override;
  std::optional<PartitionId> find(const TopicId& topic, QueueId queue) const override;
  std::vector<PartitionId> partitions() const override;
  PartitionView view(PartitionId partition) const override;
  Result<Reservation> reserve(std::size_t bytes, Purpose purpose) override;
  std::size_t entry_bytes(std::size_t batch_bytes) const override { return batch_bytes; }
  Appended append(PartitionId partition, const Batch& batch, Reservation& reservation) override;
  Result<LogPosition> start_epoch(PartitionId partition, LeaderEpoch epoch) override;
  Result<LogPosition> truncate(PartitionId partition, Offset end) override;
  Result<LogPosition> trim(PartitionId partition, Offset start) override;
  Result<ReadPlan> plan_read(PartitionId partition, const ReadRequest& request) override;
  Result<ReadBatches> read(const ReadPlan& plan) override;
  Offset find_time(PartitionId partition, std::int64_t timestamp) const override;
  void keep_state(PartitionId partition, Offset as_of, ByteView state) override;
  Progress progress() const override;
  void request_sync() override {}
  Result<Step> write_out(protocol::Instant now) override;
  std::optional<protocol::Instant> next_write_out() const override { return std::nullopt; }
  bool wants_write_out() const override { return synced_.load() != end_.load(); }
  std::unique_ptr<Chore> next_chore(protocol::Instant) override { return nullptr; }
  Result<void> finish(std::unique_ptr<Chore>) override { return protocol::ok(); }

 private:
  struct StoredBatch {
    Offset base;
    Offset end;
    std::int64_t timestamp_max = 0;
    LogPosition log_end;
    std::shared_ptr<const Bytes> bytes;
  };
  struct Partition {
    PartitionSpec spec;
    StartOffset start;
    Offset end;
    EpochHistory epochs;
    std::deque<StoredBatch> batches;
    Offset kept_as_of;
    Bytes kept_state;
    // Counts cuts; shared with the plans of reads, which any thread compares.
    std::shared_ptr<std::atomic<std::uint64_t>> generation = std::make_shared<std::atomic<std::uint64_t>>(0);
  };
  struct PlannedRead;

  Partition* living(PartitionId partition);
  LogPosition entry(std::size_t bytes);
  LogPosition synced() const { return LogPosition{synced_.load()}; }

  // The lane's.
  std::map<PartitionId, Partition> partitions_;
  std::map<std::pair<TopicId, QueueId>, PartitionId> ids_;
  std::uint32_t next_id_ = 1;
  // Written by the lane, read by the writer.
  std::atomic<std::int64_t> end_{0};
  // Written by the writer, read by all.
  std::atomic<std::int64_t> synced_{0};
};

}  // namespace braid::storage
