#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "storage/commitlog/queue_run.h"
#include "storage/commitlog/run_ring.h"
#include "storage/types.h"

namespace braid::storage {

/// An entry of the commit log as its queue sees it.
struct QueuedEntry {
  LogPosition position;
  std::int32_t size_bytes = 0;  // whole entry, header included
  std::int64_t timestamp_max = kNoTimestamp;
};

/// Units that maintenance writes into the files, as runs: [first, end).
struct QueueWrite {
  Offset first;
  Offset end;
  std::int64_t page_timestamp = kNoTimestamp;  // greatest of the units between their page's begin and `first`
  std::vector<QueueRun> runs;                  // reused: cleared by take(), keeps its capacity
};

/// The consume queue of one partition, as its lane knows it: where it begins and ends, and the units that its files
/// don't have yet, as runs in memory. It never touches a file: ConsumeQueueFiles does, on other threads.
///
///     begin() ......... written_end() ......... end()
///              files                  memory
///
/// Units reach the files in three steps, at most one at a time: take() on the lane copies those that the log is synced
/// beyond; ConsumeQueueFiles::write on maintenance; written() on the lane when they are synced, or give_back() when the
/// disk was full. truncate(), trim() and reset() may come in between. A queue that is written out and then released
/// owns no memory besides itself (idle: sizeof(ConsumeQueue)).
///
/// Owned by its lane, moved freely; nothing fails but broken preconditions, which are checked.
class ConsumeQueue {
 public:
  /// Empty, begins at `begin`.
  explicit ConsumeQueue(Offset begin = Offset{0});
  /// As a checkpoint says: the files hold [begin, end).
  static ConsumeQueue restored(Offset begin, Offset end);

  Offset begin() const { return begin_; }
  Offset end() const { return end_; }
  /// Units below it are in the files only.
  Offset written_end() const { return written_end_; }
  /// Units that are not written out, as runs in memory.
  std::size_t waiting_bytes() const { return runs_.size() * sizeof(QueueRun); }
  /// A write-out is under way.
  bool is_taken() const { return taken_end_.value != kNothingTaken; }
  /// Heap memory for units that are not written out.
  std::size_t memory_bytes() const { return runs_.memory_bytes(); }

  /// Units for `count` > 0 records without tags. O(1). The entry lies behind every earlier one.
  void append(const QueuedEntry& entry, std::int32_t count);
  /// A unit a record with its tag's hash; O(records), equal hashes in a row are one run.
  void append(const QueuedEntry& entry, std::span<const std::int64_t> tag_hashes);
  /// Units for `count` > 0 records with one tag hash, as runs are kept in a checkpoint. O(1).
  void append_run(const QueuedEntry& entry, std::int64_t tag_hash, std::int64_t count);
  /// Memory for so many runs in all, so that as many can be appended without another allocation.
  void reserve_runs(std::uint32_t count) { runs_.reserve(count); }
  /// Offsets of which the records are lost: units of zeros, which no read takes for an entry.
  void append_lost(std::int64_t count);

  /// The run that holds `offset`, and where it ends: a read goes on there. nullopt: it is in the files. O(log runs in
  /// memory). begin() <= offset < end().
  struct Found {
    QueueRun run;
    Offset end;
  };
  std::optional<Found> find(Offset offset) const;

  /// The runs in memory, in order: they reach from written_end() to end(). index < run_count(), checked.
  std::uint32_t run_count() const { return runs_.size(); }
  Found run(std::uint32_t index) const { return {.run = runs_[index], .end = end_of(index)}; }

  /// Of the units in memory from `from` on, the first whose batch has this timestamp or a later one. O(runs in memory).
  std::optional<Offset> find_time(std::int64_t timestamp, Offset from) const;

  /// Copies up to kQueueWriteUnitsMax units of entries that end at or below `log_synced`; false when there are none.
  /// Precondition: what was taken before was written or given back.
  bool take(LogPosition log_synced, QueueWrite& write);
  /// What was taken is in the files and synced there.
  void written();
  /// What was taken is not, for want of space: the next take() starts there again.
  void give_back();
  /// Gives back the memory of a queue that has nothing to write. Maintenance asks now and then, not after each write,
  /// so that a busy queue keeps its own.
  void release() { runs_.release(); }

  /// Offsets from `end` on are gone; begin() <= end <= end().
  void truncate(Offset end);
  /// Offsets below `begin` are gone; begin() <= begin <= end().
  void trim(Offset begin);
  /// All are gone; the next is `begin`.
  void reset(Offset begin);

 private:
  static constexpr std::int64_t kNothingTaken = -1;

  void push(const QueueRun& run, std::int64_t count);
  Offset end_of(std::uint32_t index) const;
  void drop_front(Offset to);
  std::int64_t page_timestamp_at(Offset end) const;

  Offset begin_;
  Offset written_end_;
  Offset end_;
  Offset taken_end_{kNothingTaken};
  std::int64_t page_timestamp_ = kNoTimestamp;  // greatest of the written units in the page of written_end_
  RunRing runs_;                                // [written_end_, end_)
};

}  // namespace braid::storage
