#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "storage/commitlog/consume_queue_files.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/open_files.h"
#include "storage/commitlog/shard_state.h"
#include "storage/commitlog/tail.h"
#include "storage/errors.h"
#include "storage/log_store.h"

namespace braid::storage {

/// What the lane knows of a read: a ReadPlan's source. Never changes once it is made.
struct PlannedRead {
  std::shared_ptr<const PartitionIdentity> identity;
  Offset files_end;             // units below it are in the queue's files
  std::vector<Extent> extents;  // of the units in memory behind that, or from the request on
};

/// Plans a read on the lane: from what of the partition's queue is in memory, up to what is written.
std::shared_ptr<const PlannedRead> plan_of(const ShardPartition& partition, const ReadRequest& request,
                                           LogPosition written);

/// Fetches planned reads from the tail, else from the log's files, where neighbours are read at once; checks all that
/// was on a disk. Any thread.
class LogReader {
 public:
  struct Options {
    LogGeometry geometry;
    std::uint32_t seed = 0;
    std::int64_t entry_bytes_max = 0;  // no entry of this store is larger
  };
  /// All outlive it.
  LogReader(Options options, const Tail& tail, OpenFiles& log_files, ConsumeQueueFiles& queues)
      : options_(options), tail_(tail), log_files_(log_files), queues_(queues) {}

  Result<ReadBatches> read(const ReadPlan& plan);

  /// Any thread: this queue's files don't hold what they should.
  void doubt(const PartitionIdentity& identity) {
    identity.queue_doubted.store(true);
    some_doubted_.store(true);
  }
  /// Lane: whether queue_doubted was set anywhere since the last call.
  bool take_doubts() { return some_doubted_.load(std::memory_order_relaxed) && some_doubted_.exchange(false); }

 private:
  /// A queue that was trimmed since the plan lost its files rightly.
  void doubt_unless_trimmed(const ReadPlan& plan, const PlannedRead& planned) {
    if (plan.request.from.value >= planned.identity->start.load()) doubt(*planned.identity);
  }
  /// What a read says that found no units there: a new queue will have them, if there was none yet.
  static StorageErrc answer_without_units(const PartitionIdentity& identity) {
    return identity.queue_rebuilt.load() ? StorageErrc::corrupt : StorageErrc::not_yet;
  }
  Result<ReadBatches> fetch_planned(const ReadPlan& plan, const PlannedRead& planned);
  /// What may be handed out: up to the first that exceeds the limit.
  Result<std::vector<Extent>> extents_of(const ReadPlan& plan, const PlannedRead& planned);
  /// The extents of units in the queue's files, from the request on; `complete` if they reach files_end.
  Result<std::vector<Extent>> extents_in_files(const ReadPlan& plan, const PlannedRead& planned, bool& complete);
  /// An entry can lie there.
  bool is_possible(const QueueUnit& unit) const;
  /// Reads the first extent, and its neighbours if all can be read: how many; 0 if not even the first can.
  std::size_t fetch_some(std::span<const Extent> extents, MutableBytes into);
  /// Extents of neighbours are read at once: how many of them, from the first on.
  std::size_t neighbours(std::span<const Extent> extents) const;
  Result<void> fetch(std::span<const Extent> extents, MutableBytes into);
  bool leads_there(const PlannedRead& planned, ByteView entry, const Extent& extent, Offset due) const;
  bool is_right(const PlannedRead& planned, const Extent& extent, ByteView entry, Offset from,
                std::optional<Offset> next) const;

  const Options options_;
  const Tail& tail_;
  OpenFiles& log_files_;
  ConsumeQueueFiles& queues_;
  std::atomic<bool> some_doubted_{false};
};

}  // namespace braid::storage
