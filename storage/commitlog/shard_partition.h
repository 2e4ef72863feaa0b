#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "protocol/base/bytes.h"
#include "storage/commitlog/consume_queue.h"
#include "storage/commitlog/partition_slices.h"
#include "storage/epoch_history.h"
#include "storage/start_offset.h"
#include "storage/types.h"

namespace braid::storage {

/// What readers on other threads need of a partition while the lane goes on. Shared; but for what is the lane's only
/// the atomics change.
struct PartitionIdentity {
  TopicId topic;
  QueueId queue;
  /// Somebody met a unit in the queue's files that does not lead to what it should.
  mutable std::atomic<bool> queue_doubted{false};
  /// The queue's files were built anew while the store is open: what is wrong in them now, the log says.
  mutable std::atomic<bool> queue_rebuilt{false};
  bool provisional = false;  // the lane's: batches of it were replayed, but nothing yet said that it exists
  std::string name;
  std::atomic<std::uint64_t> generation{0};
  std::atomic<std::int64_t> start{0};  // as the lane decided it: what is below may be gone
};

/// A partition as the log's entries have made it. Its end is its queue's. There are tens of thousands, most of them
/// idle: what few have takes no place in it.
struct ShardPartition {
  std::shared_ptr<PartitionIdentity> identity;
  PartitionId id;
  std::uint32_t indexing = 0;
  StartOffset start;
  EpochHistory epochs;
  ConsumeQueue queue;
  PartitionSlices slices;
  Offset kept_as_of;

  protocol::ByteView kept() const { return kept_ ? protocol::ByteView(*kept_) : protocol::ByteView{}; }
  void keep(protocol::ByteView state) {
    kept_ = state.empty() ? nullptr : std::make_unique<protocol::Bytes>(state.begin(), state.end());
  }

 private:
  std::unique_ptr<protocol::Bytes> kept_;  // null: nothing
};

}  // namespace braid::storage
