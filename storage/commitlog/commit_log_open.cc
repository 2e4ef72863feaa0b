// Opening and closing a CommitLogStore.
#include <algorithm>
#include <boost/system/errc.hpp>
#include <string>
#include <utility>

#include "storage/commitlog/commit_log_store.h"
#include "storage/commitlog/queue_check.h"
#include "storage/errors.h"

namespace braid::storage {
namespace {

using protocol::Instant;

Result<void> make_directories(FileSystem& files) {
  for (const char* const name : {"commitlog", "consumequeue", "checkpoint", "cut"}) {
    const auto done = files.make_directory(name);
    if (done.has_error() && done.error() != boost::system::errc::file_exists) return done;
  }
  return protocol::ok();
}

Result<std::unique_ptr<FileLock>> lock_store(FileSystem& files) {
  auto lock = files.lock("lock");
  if (lock.has_error() && lock.error() == boost::system::errc::resource_unavailable_try_again)
    return make_error_code(StorageErrc::in_use);
  return lock;
}

std::int64_t unsynced_bound(const CommitLogOptions& options) {
  return options.tail_bytes + options.bounds.bytes +
         std::min(protocol::kReservedBytesMax, std::max(options.new_store.file_bytes, options.tail_bytes));
}

/// The store's identity: as it is there, or a new one where nothing is; its bound covers what the options allow.
Result<Identity> settle_identity(FileSystem& files, const CommitLogOptions& options, RecoveryReport& report) {
  auto loaded = load_identity(files);
  const bool lost = loaded.has_error() && loaded.error() == make_error_code(StorageErrc::no_identity);
  if (loaded.has_error() && !lost) return loaded.error();
  TRY(const std::vector<DirectoryEntry> log, files.list("commitlog"));
  if (lost || !loaded->has_value()) {
    // While it was made for the first time nothing else existed yet.
    if (!log.empty()) return make_error_code(StorageErrc::no_identity);
    Identity made = options.new_store;
    made.unsynced_bytes_max = unsynced_bound(options);
    TRY_DO(store_identity(files, made, 1));
    return made;
  }
  const StoredIdentity& found = **loaded;
  if (found.repaired) report.add({RecoveryFinding::Kind::kBadIdentitySlot, "identity", {}, 0});
  Identity identity = found.identity;
  CommitLogOptions as_is = options;
  as_is.new_store.file_bytes = identity.file_bytes;
  if (unsynced_bound(as_is) > identity.unsynced_bytes_max) {
    identity.unsynced_bytes_max = unsynced_bound(as_is);
    TRY_DO(store_identity(files, identity, found.sequence + 1));
  }
  return identity;
}

/// Of the oldest `checked_max` queues that have files those that don't hold what they should. The others are left to
/// maintenance: they may be ten thousand.
std::vector<PartitionId> damaged_queues(RecoveredShard& shard, ConsumeQueueFiles& queues, std::size_t checked_max) {
  std::vector<PartitionId> damaged;
  std::size_t checked = 0;
  for (const auto& [id, partition] : shard.state.partitions()) {
    if (partition.queue.written_end() <= partition.queue.begin()) continue;
    if (++checked > checked_max) {
      shard.unchecked_queues.push_back(id);
    } else if (!stands(queues, {id, partition.identity, partition.queue.begin(), partition.queue.written_end()})) {
      damaged.push_back(id);
    }
  }
  return damaged;
}

}  // namespace

Result<std::unique_ptr<CommitLogStore>> CommitLogStore::open(FileSystem& files, CommitLogOptions options,
                                                             protocol::WallTime now) {
  TRY(std::unique_ptr<FileLock> lock, lock_store(files));
  TRY_DO(make_directories(files));
  RecoveryReport report;
  TRY(const Identity identity, settle_identity(files, options, report));
  // Also what an earlier open made: it may have been killed before it synced the names.
  TRY_DO(files.sync_directory(""));
  RecoveryOptions recovery{.identity = identity, .tags = options.tags, .from_log_only = options.from_log_only};
  TRY(RecoveredShard recovered, recover(files, recovery));
  OpenFiles queue_files(files, protocol::kOpenQueueFilesMax);
  ConsumeQueueFiles queues(files, queue_files, "consumequeue");
  const std::vector<PartitionId> damaged = damaged_queues(recovered, queues, options.queues_checked_at_open);
  TRY(std::unique_ptr<CommitLogStore> store,
      make(files, std::move(options), identity, std::move(lock), std::move(recovered), report, now));
  TRY_DO(store->rebuild_now(damaged));
  return store;
}

/// Before anything is served. A full disk must not keep a broker from starting: there maintenance goes on with it.
Result<void> CommitLogStore::rebuild_now(const std::vector<PartitionId>& damaged) {
  const std::shared_ptr<QueueRebuild> rebuild = rebuild_of(damaged);
  if (!rebuild) return protocol::ok();
  Result<void> built = protocol::ok();
  while (built.has_value() && !rebuild->done()) built = rebuild->step(queues_);
  if (built.has_value()) built = files_.sync_all();
  if (built.has_error() && built.error() == boost::system::errc::no_space_on_device) {
    rebuild_ = rebuild;
    return protocol::ok();
  }
  for (const QueueRebuild::Queue& queue : rebuild->queues()) queue.identity->queue_rebuilt.store(true);
  return built;
}

Result<std::unique_ptr<CommitLogStore>> CommitLogStore::make(FileSystem& files, CommitLogOptions options,
                                                             const Identity& identity, std::unique_ptr<FileLock> lock,
                                                             RecoveredShard recovered, const RecoveryReport& before,
                                                             protocol::WallTime now) {
  for (const RecoveryFinding& finding : before.findings) recovered.report.add(finding);
  const protocol::Bytes last_block = std::move(recovered.last_block);
  std::unique_ptr<CommitLogStore> store(
      new CommitLogStore(files, std::move(options), identity, std::move(lock), std::move(recovered)));
  TRY_DO(store->start(last_block, now));
  return store;
}

/// Blocks for a start, then the incarnation entry, synced: before it nothing else is appended.
Result<void> CommitLogStore::start(ByteView last_block, protocol::WallTime now) {
  TRY_DO(tail_.start(report_.end, last_block));
  LogPosition prepared =
      geometry_.place_in_file(report_.end) == 0 ? report_.end : LogPosition{round_up(report_.end.value, kBlockBytes)};
  room_.prepared(prepared);
  while (prepared.value - report_.end.value < 2 * options_.essential_bytes) {
    const BlockPreparation piece =
        next_preparation(geometry_, prepared, options_.prepared_piece_bytes, identity_.store, identity_.seed);
    const auto done = prepare_blocks(files_, piece);
    if (done.has_error() && done.error() != boost::system::errc::no_space_on_device) return done;
    if (done.has_error()) break;  // what is left of the last block may do
    prepared = piece.end;
    room_.prepared(prepared);
  }
  allocated_ = prepared;
  TRY(writer_, LogWriter::create(files_, tail_, progress_, {geometry_, identity_.seed, options_.bounds}));
  EntryHeader incarnation;
  incarnation.type = EntryType::kIncarnation;
  incarnation.epoch = LeaderEpoch{report_.was_cut ? 1 : 0};
  state_.restore(state_.incarnation(), std::max(state_.append_time(), now.milliseconds));
  const auto appended = control(incarnation, {});
  if (appended.has_error())
    return appended.error() == make_error_code(StorageErrc::not_yet) ? make_error_code(StorageErrc::disk_full)
                                                                     : appended.error();
  const auto written = writer_->step(Instant{});
  if (written.has_error()) return written.error();
  marked_end_ = progress_.synced();
  return forget_unseen_cut(files_, report_.end);
}

Result<void> CommitLogStore::close() {
  const Instant now{};
  // Upkeep may append: a few rounds, until a checkpoint names the end.
  for (int round = 0; round < 8 && (checkpointed_ != tail_.end() || kept_changed_); ++round) {
    checkpoint_wanted_ = true;
    std::unique_ptr<Chore> chore;
    Step step = Step::kWorked;
    while (step == Step::kWorked || chore != nullptr) {
      progress_.want_sync();
      TRY(step, write_out(now));
      chore = next_chore(now);
      if (chore == nullptr) continue;
      chore->run();
      TRY_DO(finish(std::move(chore)));
      step = Step::kWorked;
    }
  }
  if (checkpointed_ != tail_.end()) return protocol::ok();  // no room for a checkpoint: the next open scans
  const LogPosition end = progress_.synced();
  const LogPosition file = geometry_.file_of(end);
  bool removed = false;
  for (LogPosition behind = geometry_.place_in_file(end) == 0 ? end : geometry_.next_file(end);
       behind < std::max(room_.prepared(), allocated_); behind = geometry_.next_file(behind)) {
    TRY_DO(files_.remove_file(log_file_path(behind)));
    removed = true;
  }
  for (const LogPosition pooled : pool_) TRY_DO(files_.remove_file(pooled_file_path(pooled)));
  if (removed) TRY_DO(files_.sync_directory("commitlog"));
  if (geometry_.place_in_file(end) == 0) return protocol::ok();
  TRY(const std::unique_ptr<File> last, files_.open(log_file_path(file), {.mode = OpenMode::kWrite}));
  TRY_DO(last->truncate(static_cast<std::uint64_t>(round_up(geometry_.place_in_file(end), kBlockBytes))));
  return last->sync();
}

}  // namespace braid::storage
