#pragma once

#include "storage/commitlog/consume_queue_files.h"
#include "storage/commitlog/shard_partition.h"
#include "storage/types.h"

namespace braid::storage {

/// A queue of which the units [begin, end) should be in files.
struct QueueInFiles {
  PartitionId partition;
  std::shared_ptr<const PartitionIdentity> identity;
  Offset begin;
  Offset end;
};

/// The queue's files are its topic's, and hold the units that they should begin and end with. Reads a few pages.
bool stands(ConsumeQueueFiles& queues, const QueueInFiles& queue);

}  // namespace braid::storage
