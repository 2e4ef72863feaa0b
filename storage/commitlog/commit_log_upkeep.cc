// What a CommitLogStore gives maintenance to do: blocks, queues, checkpoints, and files that nobody needs any more.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "protocol/base/check.h"
#include "storage/commitlog/checkpoint.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/commitlog/control_entry.h"
#include "storage/errors.h"

namespace braid::storage {

using protocol::check;
using protocol::Instant;

std::unique_ptr<Chore> CommitLogStore::next_chore(Instant now) {
  if (chore_is_out_ || progress_.failed()) return nullptr;
  now_ = now;
  watch_growth(now);
  mark_idle(now);
  step_freeing();
  // On a full disk only what gives space comes before the next try.
  const bool may_grow = !retry_at_ || now >= *retry_at_;
  std::unique_ptr<Chore> chore = files_chore();
  if (!chore) chore = removal_chore();
  if (!chore && may_grow) chore = prepare_chore();
  if (!chore && may_grow) chore = queue_chore();
  if (!chore) chore = check_chore();
  if (!chore && may_grow) chore = checkpoint_chore();
  if (!chore && may_grow) chore = rebuild_chore();
  chore_is_out_ = chore != nullptr;
  return chore;
}

Result<void> CommitLogStore::finish(std::unique_ptr<Chore> chore) {
  check(chore_is_out_, "a chore is finished once");
  chore_is_out_ = false;
  auto& done = static_cast<StoreChore&>(*chore);
  const bool full = done.found_disk_full();
  if (done.outcome().has_error() && !full) {
    progress_.fail();
    return done.outcome();
  }
  if (full) retry_at_ = now_ + std::chrono::milliseconds(protocol::kDiskFullRetryMs);
  // Whatever met the full disk: until blocks can be prepared again, who finds no room is told why.
  if (full) room_.disk_full(true);
  switch (done.kind()) {
    case StoreChore::Kind::kAllocateBlocks:
      if (!full) allocated_ = static_cast<AllocateBlocks&>(done).end();
      break;
    case StoreChore::Kind::kZeroBlocks:
      if (!full) room_.prepared(static_cast<ZeroBlocks&>(done).end());
      break;
    case StoreChore::Kind::kWriteQueues:
      for (const WriteQueues::Item& item : static_cast<WriteQueues&>(done).items()) {
        ShardPartition* const partition = state_.partition(item.partition);
        if (partition == nullptr) continue;
        if (full) {
          partition->queue.give_back();
        } else {
          partition->queue.written();
        }
        if (partition->queue.waiting_bytes() > options_.queue_memory_bytes) full_queues_.push_back(item.partition);
      }
      break;
    case StoreChore::Kind::kCheckpoint:
      if (full) break;
      checkpoint_slot_ = 1 - checkpoint_slot_;
      checkpointed_ = static_cast<WriteCheckpoint&>(done).position();
      break;
    case StoreChore::Kind::kRemoveQueues: {
      auto& removals = state_.removals();
      const auto count = static_cast<std::ptrdiff_t>(static_cast<RemoveQueues&>(done).count());
      removals.erase(removals.begin(), removals.begin() + count);
      retry_at_.reset();
      break;
    }
    case StoreChore::Kind::kRebuildQueues:
      if (full || !rebuild_->done()) break;
      for (const QueueRebuild::Queue& queue : rebuild_->queues()) queue.identity->queue_rebuilt.store(true);
      rebuild_.reset();
      break;
    case StoreChore::Kind::kCheckDerived: {
      const auto& checked = static_cast<CheckDerived&>(done);
      if (const auto slot = checked.bad_slot())
        report_.add({RecoveryFinding::Kind::kBadCheckpoint, "checkpoint/" + std::to_string(*slot), {}, 0});
      for (const PartitionId id : checked.bad_queues()) rebuild_queue(id);
      break;
    }
    case StoreChore::Kind::kRemoveFiles:
      pool_.insert(pool_.end(), static_cast<RemoveFiles&>(done).pooled().begin(),
                   static_cast<RemoveFiles&>(done).pooled().end());
      retry_at_.reset();
      break;
    case StoreChore::Kind::kReuseFile:
      if (full) {
        pool_.push_back(static_cast<ReuseFile&>(done).pooled());
      } else {
        allocated_ = static_cast<ReuseFile&>(done).end();
        room_.prepared(allocated_);
      }
      break;
  }
  return protocol::ok();
}

std::int64_t CommitLogStore::prepared_target() const {
  const std::int64_t ahead =
      std::clamp(appended_since_open_, options_.prepared_bytes_min, options_.prepared_bytes_max) +
      options_.essential_bytes;
  return std::max(ahead, room_.wanted_bytes());
}

std::int64_t CommitLogStore::prepared_ahead() const {
  const LogPosition prepared = room_.prepared();
  const LogPosition end = geometry_.entry_after(tail_.end());
  // The rest of this file does not help whoever needs more than that: the next file counts from its begin.
  const LogPosition file_end = geometry_.next_file(end);
  return prepared > file_end ? std::max(prepared.value - file_end.value - kSuperblockBytes, file_end.value - end.value)
                             : prepared.value - end.value;
}

void CommitLogStore::watch_growth(Instant now) {
  const auto elapsed = now - growth_since_;
  if (elapsed < std::chrono::milliseconds(protocol::kGrowthWindowMs)) return;
  const auto elapsed_ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  grows_fast_ = (tail_.end().value - growth_from_.value) / elapsed_ms > protocol::kZeroedBytesPerMsMax;
  growth_since_ = now;
  growth_from_ = tail_.end();
}

std::unique_ptr<Chore> CommitLogStore::prepare_chore() {
  const std::int64_t target = prepared_target();
  if (prepared_ahead() >= target) return nullptr;
  // No time to write everything twice: what is allocated will do.
  const bool hurries = grows_fast_ || prepared_ahead() < target / 4;
  if (hurries && allocated_ > room_.prepared()) room_.prepared(allocated_);
  const std::int64_t missing = target - prepared_ahead();
  if (missing <= 0) return nullptr;
  const auto next = [&](std::int64_t piece_bytes) {
    return next_preparation(geometry_, room_.prepared(), piece_bytes, identity_.store, identity_.seed);
  };
  if (!pool_.empty() && allocated_ == room_.prepared() && geometry_.place_in_file(allocated_) == 0) {
    const LogPosition pooled = pool_.back();
    pool_.pop_back();
    return std::make_unique<ReuseFile>(files_, pooled, next(geometry_.file_bytes));
  }
  BlockPreparation piece = next(options_.prepared_piece_bytes);
  if (allocated_ > room_.prepared()) {
    piece = next(protocol::kZeroedPieceBytesMax);
    piece.end = std::min(piece.end, allocated_);
    return std::make_unique<ZeroBlocks>(files_, piece);
  }
  const std::int64_t pieces = std::min(missing, protocol::kAllocatedPieceBytesMax) / options_.prepared_piece_bytes;
  BlockPreparation several = piece;
  several.end =
      std::min(geometry_.next_file(piece.begin),
               LogPosition{piece.end.value + std::max<std::int64_t>(pieces - 1, 0) * options_.prepared_piece_bytes});
  return std::make_unique<AllocateBlocks>(files_, several, piece);
}

std::unique_ptr<Chore> CommitLogStore::removal_chore() {
  std::vector<Removal> due;
  for (const Removal& removal : state_.removals()) {
    if (removal.entry_end > progress_.synced() || due.size() >= protocol::kQueuesRemovedAtOnceMax) break;
    due.push_back(removal);
  }
  return due.empty() ? nullptr : std::make_unique<RemoveQueues>(queues_, std::move(due));
}

std::unique_ptr<Chore> CommitLogStore::queue_chore() {
  if (!queue_round_) return nullptr;
  std::vector<WriteQueues::Item> items;
  std::vector<PartitionId> later;  // nothing of them is synced yet
  const LogPosition synced = progress_.synced();
  while (!full_queues_.empty() && items.size() < protocol::kQueuesWrittenAtOnceMax) {
    const PartitionId id = full_queues_.back();
    full_queues_.pop_back();
    ShardPartition* const partition = state_.partition(id);
    if (partition == nullptr || partition->identity->name.empty() || partition->queue.is_taken()) continue;
    WriteQueues::Item item{.partition = id, .identity = {}, .begin = {}, .units = {}};
    if (!partition->queue.take(synced, item.units)) {
      later.push_back(id);
      continue;
    }
    item.identity = partition->identity;
    item.begin = partition->start.shown(synced);
    items.push_back(std::move(item));
  }
  full_queues_.insert(full_queues_.end(), later.begin(), later.end());
  queue_round_ = !items.empty();
  if (items.empty()) return nullptr;
  return std::make_unique<WriteQueues>(files_, queues_, std::move(items));
}

void CommitLogStore::begin_checkpoint() {
  checkpoint_wanted_ = false;
  kept_changed_ = false;
  checkpoint_position_ = tail_.end();
  checkpoint_ =
      encode_checkpoint({++checkpoint_sequence_, checkpoint_position_, state_.append_time(), state_.incarnation()},
                        identity_.store, state_);
  progress_.want_sync();
}

std::unique_ptr<Chore> CommitLogStore::checkpoint_chore() {
  const bool due = tail_.end().value - checkpointed_.value >= options_.checkpoint_interval_bytes;
  if (checkpoint_.empty() && (due || checkpoint_wanted_)) begin_checkpoint();
  if (checkpoint_.empty() || progress_.synced() < checkpoint_position_) return nullptr;
  return std::make_unique<WriteCheckpoint>(files_, 1 - checkpoint_slot_, checkpoint_position_,
                                           std::exchange(checkpoint_, {}));
}

std::unique_ptr<Chore> CommitLogStore::files_chore() {
  if (freed_files_.empty() || checkpointed_ < freeing_position_) return nullptr;
  // A full disk needs the space for other things.
  const bool is_full = retry_at_ && now_ < *retry_at_;
  return std::make_unique<RemoveFiles>(
      files_, log_files_,
      RemoveFiles::Options{.log_files = std::exchange(freed_files_, {}),
                           .file_bytes = geometry_.file_bytes,
                           .pooled_max = is_full ? 0 : options_.pooled_files_max - pool_.size()});
}

std::unique_ptr<Chore> CommitLogStore::check_chore() {
  if (!unchecked_slot_ && unchecked_queues_.empty()) return nullptr;
  std::vector<QueueInFiles> queues;
  while (!unchecked_queues_.empty() && queues.size() < protocol::kQueuesCheckedAtOnceMax) {
    const PartitionId id = unchecked_queues_.back();
    unchecked_queues_.pop_back();
    const ShardPartition* const partition = state_.partition(id);
    if (partition != nullptr && partition->queue.written_end() > partition->queue.begin())
      queues.push_back({id, partition->identity, partition->queue.begin(), partition->queue.written_end()});
  }
  return std::make_unique<CheckDerived>(files_, queues_, identity_.store, std::exchange(unchecked_slot_, {}),
                                        std::move(queues));
}

void CommitLogStore::rebuild_queue(PartitionId id) {
  const ShardPartition* const partition = state_.partition(id);
  if (partition == nullptr || partition->identity->queue_rebuilt.load()) return;
  if (std::ranges::find(queues_to_rebuild_, id) == queues_to_rebuild_.end()) queues_to_rebuild_.push_back(id);
}

std::unique_ptr<Chore> CommitLogStore::rebuild_chore() {
  if (reader_.take_doubts())
    for (const auto& [id, partition] : state_.partitions())
      if (partition.identity->queue_doubted.exchange(false)) rebuild_queue(id);
  if (rebuild_) std::ranges::copy(rebuild_->drop_stale(), std::back_inserter(queues_to_rebuild_));
  if (!rebuild_ && !queues_to_rebuild_.empty()) rebuild_ = rebuild_of(std::exchange(queues_to_rebuild_, {}));
  return rebuild_ ? std::make_unique<RebuildQueues>(files_, queues_, rebuild_) : nullptr;
}

/// Null when there is nothing of them in files.
std::shared_ptr<QueueRebuild> CommitLogStore::rebuild_of(const std::vector<PartitionId>& partitions) {
  std::vector<QueueRebuild::Queue> queues;
  for (const PartitionId id : partitions) {
    const ShardPartition* const partition = state_.partition(id);
    if (partition == nullptr || partition->identity->name.empty()) continue;
    const ConsumeQueue& queue = partition->queue;
    const std::span<const Slice> living = partition->slices.living(queue.begin());
    if (living.empty() || queue.written_end() <= queue.begin()) continue;
    const PartitionIdentity& identity = *partition->identity;
    report_.add({RecoveryFinding::Kind::kBadQueue,
                 "consumequeue/" + identity.name + "/" + std::to_string(identity.queue.value), living.front().file, 0});
    queues.push_back({.partition = id,
                      .identity = partition->identity,
                      .indexing = partition->indexing,
                      .begin = queue.begin(),
                      .end = queue.written_end(),
                      .from = living.front().file});
  }
  if (queues.empty()) return nullptr;
  const QueueRebuild::Options options{.seed = identity_.seed, .tags = options_.tags, .to = progress_.synced()};
  return std::make_shared<QueueRebuild>(files_, geometry_, state_.files(), options, std::move(queues));
}

void CommitLogStore::mark_idle(Instant now) {
  if (tail_.end() != idle_end_) {
    idle_end_ = tail_.end();
    idle_since_ = now;
    return;
  }
  const bool idle = now - idle_since_ >= std::chrono::milliseconds(protocol::kSyncMarkIdleMs);
  if (!idle || marked_end_ == idle_end_ || progress_.synced() != idle_end_) return;
  EntryHeader mark;
  mark.type = EntryType::kSyncMark;
  // Without room for it there will be another time.
  if (const auto marked = control(mark, {}); marked.has_value()) marked_end_ = idle_end_ = *marked;
}

/// One step, when the one before is synced; see docs/storage.md, "Freeing a file".
void CommitLogStore::step_freeing() {
  if (freeing_ != Freeing::kNone && progress_.synced() < freeing_position_) return;
  switch (freeing_) {
    case Freeing::kNone:
      if (!look_for_dead_files_ || progress_.synced() < died_position_) return;
      dying_ = dead_files();
      look_for_dead_files_ = !dying_.empty();  // without room for a snapshot: another time
      if (dying_.empty() || append_snapshot().has_error()) return;
      look_for_dead_files_ = false;
      freeing_ = Freeing::kSnapshot;
      break;
    case Freeing::kSnapshot:
      if (append_freed().has_value()) freeing_ = Freeing::kFreed;
      break;
    case Freeing::kFreed:
      checkpoint_wanted_ = true;
      freeing_ = Freeing::kCheckpoint;
      break;
    case Freeing::kCheckpoint:
      if (checkpointed_ < freeing_position_) return;
      freed_files_.insert(freed_files_.end(), dying_.begin(), dying_.end());
      freeing_ = Freeing::kNone;
      break;
  }
}

std::vector<LogPosition> CommitLogStore::dead_files() const {
  std::vector<LogPosition> dead;
  const LogPosition synced = progress_.synced();
  const LogPosition active = geometry_.file_of(tail_.end());
  std::set<LogPosition> alive;
  for (const auto& [id, partition] : state_.partitions())
    for (const Slice& slice : partition.slices.living(partition.start.shown(synced))) alive.insert(slice.file);
  for (const LogPosition file : state_.files())
    if (file < active && geometry_.next_file(file) <= synced && !alive.contains(file)) dead.push_back(file);
  return dead;
}

Result<void> CommitLogStore::append_snapshot() {
  std::vector<SnapshotPiece> pieces(1);
  for (const auto& [id, partition] : state_.partitions()) {
    if (pieces.back().partitions.size() == protocol::kSnapshotPiecePartitionsMax) pieces.emplace_back();
    pieces.back().partitions.push_back(state_.record(partition));
  }
  for (const LogPosition file : state_.files())
    if (std::ranges::find(dying_, file) == dying_.end()) pieces.back().files.push_back(file);
  std::int64_t size = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    size += entry_size(static_cast<std::int64_t>(encode(pieces[i], i + 1 == pieces.size()).size()));
  // All of it or nothing: the room is there before the first piece is.
  TRY(Reservation all, reserve(static_cast<std::size_t>(size), Purpose::kEssential));
  LogPosition first;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool last = i + 1 == pieces.size();
    EntryHeader header;
    header.type = EntryType::kSnapshot;
    header.base = Offset{static_cast<std::int64_t>(i)};
    header.count = last ? 1 : 0;
    header.append_time = state_.append_time();
    pieces[i].first_piece = first;
    const protocol::Bytes payload = encode(pieces[i], last);
    header = appender_.append_control(header, payload);
    all.spend(static_cast<std::size_t>(header.size_bytes));
    state_.apply(header, payload, {}, progress_.synced());
    if (i == 0) first = header.position;
    freeing_position_ = header.end();
  }
  return protocol::ok();
}

Result<void> CommitLogStore::append_freed() {
  for (const LogPosition file : dying_) {
    EntryHeader header;
    header.type = EntryType::kFileFreed;
    header.base = Offset{file.value};
    TRY(freeing_position_, control(header, {}));
  }
  return protocol::ok();
}

}  // namespace braid::storage
