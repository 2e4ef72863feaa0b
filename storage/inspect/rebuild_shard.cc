#include "storage/inspect/rebuild_shard.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/limits.h"
#include "protocol/base/printable.h"
#include "storage/commitlog/checkpoint.h"
#include "storage/commitlog/consume_queue_files.h"
#include "storage/commitlog/log_scan.h"
#include "storage/commitlog/open_files.h"
#include "storage/commitlog/replay.h"
#include "storage/commitlog/shard_reading.h"
#include "storage/commitlog/store_chores.h"
#include "storage/commitlog/topic_directory.h"
#include "storage/errors.h"
#include "storage/inspect/json_row.h"

namespace braid::storage {
namespace {

using Kind = RecoveryFinding::Kind;

constexpr const char* kQueues = "consumequeue";

/// kRefused: it must not go on, and a finding says why.
enum class Rebuilding { kGoesOn, kRefused };

class Rebuild {
 public:
  Rebuild(FileSystem& files, const CommitLogOptions& options, InspectOutput& out)
      : files_(files), options_(options), out_(out) {}

  Result<Rebuilding> run(protocol::WallTime now);
  void tell();
  /// What is derived is gone, and not all there again.
  bool is_half_way() const { return removed_ && !built_; }

 private:
  Result<Rebuilding> settle_log(protocol::WallTime now);
  void tell(const RecoveryFinding& finding);
  bool has_unknown_tags(const CommitLogStore& store);
  Result<CheckpointHeader> newest_checkpoint(const Identity& identity);
  Result<void> remove_derived();
  Result<void> build(const Identity& identity, const CheckpointHeader& before);
  Result<void> flush(ShardState& state, ConsumeQueueFiles& queues, LogPosition synced);
  Result<void> finish_queues(ShardState& state, ConsumeQueueFiles& queues);

  FileSystem& files_;
  const CommitLogOptions& options_;
  InspectOutput& out_;
  LogPosition end_;  // of the log
  bool removed_ = false;
  bool built_ = false;
  std::uint64_t queues_ = 0;
  std::uint64_t units_ = 0;
};

Result<Rebuilding> Rebuild::run(protocol::WallTime now) {
  TRY(const auto slots, read_identity(files_));
  if (!slots[0] && !slots[1]) return make_error_code(StorageErrc::no_identity);
  TRY(const Rebuilding settled, settle_log(now));
  if (settled == Rebuilding::kRefused) return settled;
  auto lock = files_.lock("lock");
  if (lock.has_error()) return make_error_code(StorageErrc::in_use);
  TRY(const std::optional<StoredIdentity> stored, load_identity(files_));
  if (!stored) return make_error_code(StorageErrc::no_identity);
  TRY(const CheckpointHeader before, newest_checkpoint(stored->identity));
  removed_ = true;
  TRY_DO(remove_derived());
  TRY_DO(build(stored->identity, before));
  built_ = true;
  return Rebuilding::kGoesOn;
}

/// Recovers and closes: a torn end is cut, all is synced, and an entry in the log proves it.
Result<Rebuilding> Rebuild::settle_log(protocol::WallTime now) {
  TRY(const std::unique_ptr<CommitLogStore> store, CommitLogStore::open(files_, options_, now));
  for (const RecoveryFinding& finding : store->report().findings) {
    if (finding.kind == Kind::kLostEnd)
      tell(finding);
    else if (finding.kind != Kind::kBadEntry && finding.kind != Kind::kMissingFile)  // build() sees all of them
      out_.note(finding.path + ": " + name_of(finding.kind) + ", mended");
  }
  if (has_unknown_tags(*store)) return Rebuilding::kRefused;
  TRY_DO(store->close());
  end_ = store->progress().synced;
  return Rebuilding::kGoesOn;
}

void Rebuild::tell(const RecoveryFinding& finding) {
  out_.finding({.what = name_of(finding.kind),
                .path = finding.path,
                .position = finding.position,
                .bytes = finding.bytes > 0 ? std::optional(finding.bytes) : std::nullopt});
}

bool Rebuild::has_unknown_tags(const CommitLogStore& store) {
  if (options_.tags) return false;
  for (const PartitionId id : store.partitions()) {
    const PartitionView view = store.view(id);
    if (view.indexing == 0) continue;
    out_.finding({.what = protocol::printable(view.name) + "-" + std::to_string(view.queue.value) +
                          " has tags, which can't be derived here: nothing is rebuilt"});
    return true;
  }
  return false;
}

Result<CheckpointHeader> Rebuild::newest_checkpoint(const Identity& identity) {
  std::optional<CheckpointHeader> newest;
  for (int slot = 0; slot < 2; ++slot) {
    const auto header = read_checkpoint_header(load_checkpoint_slot(files_, slot), identity.store);
    if (header && (!newest || header->sequence > newest->sequence)) newest = header;
  }
  // The store was just closed, which ends with one, but for a full disk.
  if (!newest || newest->position != end_) return make_error_code(StorageErrc::disk_full);
  return *newest;
}

Result<void> Rebuild::remove_derived() {
  TRY_DO(remove_tree(files_, "checkpoint/0"));
  TRY_DO(remove_tree(files_, "checkpoint/1"));
  TRY_DO(files_.sync_directory("checkpoint"));
  TRY(const std::vector<DirectoryEntry> entries, files_.list(kQueues));
  for (const DirectoryEntry& entry : entries) TRY_DO(remove_tree(files_, std::string(kQueues) + "/" + entry.name));
  return files_.sync_directory(kQueues);
}

Result<void> Rebuild::build(const Identity& identity, const CheckpointHeader& before) {
  const LogGeometry geometry{identity.file_bytes};
  TRY(const std::set<LogPosition> existing, find_log_files(files_, geometry));
  OpenFiles open_files(files_, protocol::kOpenQueueFilesMax);
  ConsumeQueueFiles queues(files_, open_files, kQueues);
  ShardState state(geometry);
  RecoveryReport report;
  LogScan scan(files_, geometry, identity.seed, existing);
  Replay replay(scan, geometry, 2 * identity.unsynced_bytes_max, options_.tags, state, report, before.position);
  const LogPosition first = existing.empty() ? LogPosition{0} : *existing.begin();
  LogPosition flushed = first;
  replay.after_each([&]() -> Result<void> {
    // 64 MiB of log: its units take 16 MiB and less.
    if (replay.end().value - flushed.value < options_.checkpoint_interval_bytes / 4) return protocol::ok();
    flushed = replay.end();
    out_.progress("the log up to position " + std::to_string(flushed.value));
    return flush(state, queues, before.position);
  });
  TRY_DO(replay.run(first));
  if (replay.end() != end_) return make_error_code(StorageErrc::corrupt);
  for (const RecoveryFinding& finding : report.findings) {
    const bool was_freed =
        finding.kind == Kind::kMissingFile && state.may_be_missing(geometry.file_of(finding.position));
    if (!was_freed) tell(finding);
  }
  TRY_DO(flush(state, queues, end_));
  TRY_DO(finish_queues(state, queues));
  const CheckpointHeader header{before.sequence + 1, end_, state.append_time(), state.incarnation()};
  return store_checkpoint(files_, 0, encode_checkpoint(header, identity.store, state));
}

/// Writes out the queues that hold more than a checkpoint should.
Result<void> Rebuild::flush(ShardState& state, ConsumeQueueFiles& queues, LogPosition synced) {
  for (auto& [id, partition] : state.partitions()) {
    const PartitionIdentity& identity = *partition.identity;
    if (identity.name.empty() || partition.queue.memory_bytes() <= options_.queue_memory_bytes) continue;
    QueueWrite units;
    while (partition.queue.take(synced, units)) {
      TRY_DO(queues.write({identity.topic, identity.name, identity.queue}, units));
      partition.queue.written();
    }
    partition.queue.release();
  }
  return protocol::ok();
}

/// Takes away what later entries made useless, and makes the rest durable.
Result<void> Rebuild::finish_queues(ShardState& state, ConsumeQueueFiles& queues) {
  RemoveQueues removals(queues, std::exchange(state.removals(), {}));
  removals.run();
  TRY_DO(removals.outcome());
  for (auto& [id, partition] : state.partitions()) {
    const PartitionIdentity& identity = *partition.identity;
    if (!identity.name.empty())
      TRY_DO(queues.trim({identity.topic, identity.name, identity.queue}, partition.start.decided()));
    ++queues_;
    units_ += static_cast<std::uint64_t>(partition.queue.end().value - partition.queue.begin().value);
  }
  return files_.sync_all();
}

void Rebuild::tell() {
  if (out_.format() == InspectFormat::kJson) {
    JsonRow row;
    row.number("position", end_.value);
    row.number("queues", queues_);
    row.number("units", units_);
    return out_.row(row.line());
  }
  out_.row("rebuilt " + std::to_string(queues_) + " queues with " + std::to_string(units_) +
           " units, complete up to position " + std::to_string(end_.value));
}

std::string words_for(const boost::system::error_code& error) {
  if (error == make_error_code(StorageErrc::in_use)) return "in use: stop the broker first; nothing was changed";
  if (error == make_error_code(StorageErrc::no_identity))
    return "the identity is lost: a log without it can't be opened";
  return error.message();
}

}  // namespace

InspectSummary rebuild_shard(FileSystem& files, const CommitLogOptions& options, InspectFormat format,
                             protocol::WallTime now, InspectSink& sink) {
  InspectOutput out(format, sink);
  Rebuild rebuild(files, options, out);
  const auto done = rebuild.run(now);
  if (done.has_error())
    out.finding({.what = words_for(done.error()) +
                         (rebuild.is_half_way() ? "; the next start builds what is missing from the log" : "")});
  if (done.has_value() && *done == Rebuilding::kGoesOn) rebuild.tell();
  return out.summary();
}

}  // namespace braid::storage
