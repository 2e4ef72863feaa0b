#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "storage/reservation.h"
#include "storage/types.h"

/// What the broker sees of a shard's storage, whatever the layout on disk. docs/storage.md tells the story; the rules
/// below are those of store_contract_test, which every implementation passes.
namespace braid::storage {

using protocol::Bytes;
using protocol::ByteView;
using protocol::Result;

/// Who a partition is. The id, never the name, decides: a topic made again under an old name is another one.
struct PartitionSpec {
  TopicId topic;
  std::string name;  // [a-zA-Z0-9._-]{1,249}, checked by the caller: becomes a directory
  QueueId queue;
  Offset start;                // the first offset it will hold
  std::uint32_t indexing = 0;  // opaque to the store but for deriving tags again (TagSource); part of the log
};

/// What a partition is now. Borrowed from the store: valid until the next call on the lane.
struct PartitionView {
  TopicId topic;
  std::string_view name;
  QueueId queue;
  std::uint32_t indexing = 0;
  Offset start;                        // moves up by trim() once that is synced
  Offset end;                          // the next offset to be assigned
  std::int64_t size_bytes = 0;         // of its entries, from the log file on that the start lies in
  std::span<const EpochStart> epochs;  // rising; of records that are there
  Offset kept_as_of;                   // keep_state()'s, or the start
  ByteView kept_state;
};

/// acks are due when the log is synced beyond the entry, or when it is written: see flush_policy.h for who asks what.
enum class Durability : std::uint8_t { kWritten, kSynced };

struct Batch {
  ByteView bytes;  // one valid record batch; base offset and leader epoch are stamped into the copy
  LeaderEpoch epoch;
  std::span<const std::int64_t> tag_hashes;  // one an offset, or empty: no tags
  Durability durability = Durability::kSynced;
  protocol::WallTime now;
};

/// The records [base, end) are acknowledged when progress() has reached `end_position`.
struct Appended {
  Offset base;
  Offset end;
  LogPosition position;
  LogPosition end_position;
};

struct Created {
  PartitionId partition;
  LogPosition end_position;  // may be answered when synced beyond it
};

/// How far the log has come. Both numbers only grow; synced <= written.
struct Progress {
  LogPosition written;
  LogPosition synced;
  bool failed = false;  // a write or sync failed: neither number moves again, and the process should end
};

enum class Purpose : std::uint8_t {
  kProduce,    // may be refused when the disk is full
  kEssential,  // deletes, commits, markers: may use the blocks that are kept back for them
};

struct ReadRequest {
  Offset from;
  Offset end;                 // exclusive: what the reader may see, e.g. the high watermark
  std::size_t bytes_max = 0;  // the first batch is returned even when it is larger
};

/// A read decided on the lane and done anywhere. Plain data; may be dropped at any time, and must not outlive the
/// store.
struct ReadPlan {
  PartitionId partition = {};
  ReadRequest request = {};
  std::uint64_t generation = 0;             // of the partition: a cut in between makes the read stale
  bool from_memory = false;                 // as it looks now, the read does not wait for the disk
  std::shared_ptr<const void> source = {};  // the implementation's
};

/// Whole batches in offset order; the first may begin before the requested offset. They point into `memory`.
struct ReadBatches {
  Bytes memory;
  std::vector<ByteView> batches;
};

/// What a step of the writer found to do.
enum class Step : std::uint8_t { kIdle, kWorked };

/// Something that maintenance should do; made and finished on the lane, done elsewhere.
class Chore {
 public:
  virtual ~Chore() = default;
  /// Maintenance thread; may wait for the disk.
  virtual void run() = 0;
};

/// One shard's log and its partitions.
///
/// Threads: everything belongs to the lane except what says otherwise. Nothing on the lane waits for the disk; truncate
/// may. A store that has failed refuses appends and control operations with StorageErrc::failed, and still reads.
class LogStore {
 public:
  LogStore() = default;
  virtual ~LogStore() = default;
  LogStore(const LogStore&) = delete;
  LogStore& operator=(const LogStore&) = delete;

  /// partition_exists if (topic, queue) is there; not_yet, disk_full when there is no room even for essentials.
  virtual Result<Created> create(const PartitionSpec& spec) = 0;
  /// Gone at once for every call; its bytes go when no file needs them. Returns when it may be answered.
  virtual Result<LogPosition> remove(PartitionId partition) = 0;
  virtual std::optional<PartitionId> find(const TopicId& topic, QueueId queue) const = 0;
  virtual std::vector<PartitionId> partitions() const = 0;
  /// Checked to exist.
  virtual PartitionView view(PartitionId partition) const = 0;

  /// Any thread. Room for entries of `bytes` in all (entry_bytes() of each batch): after it append can't fail. not_yet:
  /// ask again when progress has moved or a chore has finished. disk_full, too_large, failed.
  virtual Result<Reservation> reserve(std::size_t bytes, Purpose purpose) = 0;
  /// What a batch of this size takes of a reservation. Any thread.
  virtual std::size_t entry_bytes(std::size_t batch_bytes) const = 0;
  /// Assigns the offsets [end, end + last offset delta + 1). The partition exists and the reservation suffices:
  /// checked.
  virtual Appended append(PartitionId partition, const Batch& batch, Reservation& reservation) = 0;

  /// Records from here on are written in `epoch`, which is above all before.
  virtual Result<LogPosition> start_epoch(PartitionId partition, LeaderEpoch epoch) = 0;
  /// Drops the batches at or above `end`, whole: one that holds `end` goes too, down to the start. offset_out_of_range
  /// above the end or below the start. Reads planned before become stale.
  virtual Result<LogPosition> truncate(PartitionId partition, Offset end) = 0;
  /// Moves the log start up, to any offset up to the end; at or below the start nothing happens. Readers see it when it
  /// is synced.
  virtual Result<LogPosition> trim(PartitionId partition, Offset start) = 0;

  /// offset_out_of_range below the start (a new one counts at once) or above the end. At most what is written is seen.
  virtual Result<ReadPlan> plan_read(PartitionId partition, const ReadRequest& request) = 0;
  /// Any thread; may wait for the disk if the plan is not of the tail. corrupt when the first batch is damaged, not_yet
  /// when its place in the log has to be found anew: ask again when a chore has finished. A later one only ends the
  /// read. stale_read when there was a cut since, offset_out_of_range when the offset was trimmed away.
  virtual Result<ReadBatches> read(const ReadPlan& plan) = 0;
  /// Where to begin reading for the first record with this timestamp or a later one: at or before its batch, and not
  /// far before. The end if surely none. Never waits for the disk.
  virtual Offset find_time(PartitionId partition, std::int64_t timestamp) const = 0;

  /// Keeps bytes that the caller derived from the records below `as_of` (producers, transactions) with the checkpoint
  /// and in snapshots, so that after a restart it needs to read the partition from kept_as_of only. Replaces the
  /// earlier.
  virtual void keep_state(PartitionId partition, Offset as_of, ByteView state) = 0;

  /// Any thread.
  virtual Progress progress() const = 0;
  /// Any thread: everything appended so far is synced soon, whatever its durability asked.
  virtual void request_sync() = 0;
  /// Writer thread: writes what has gathered as one group, syncs when due. kIdle: nothing to do until the next
  /// append, request_sync, or the interval of async mode. An error is final: see Progress::failed.
  virtual Result<Step> write_out(protocol::Instant now) = 0;
  /// Writer thread, after kIdle: when there is something to do though nobody asks, a sync of async mode.
  virtual std::optional<protocol::Instant> next_write_out() const = 0;
  /// Any thread: something is not written yet, or a sync is asked for; write_out() should come soon.
  virtual bool wants_write_out() const = 0;

  /// Lane, often: takes note of progress, and says what maintenance should do next. One chore at a time: null while one
  /// is out.
  virtual std::unique_ptr<Chore> next_chore(protocol::Instant now) = 0;
  /// An error is fatal like a failed write; a full disk is not an error here.
  virtual Result<void> finish(std::unique_ptr<Chore> chore) = 0;
};

}  // namespace braid::storage
