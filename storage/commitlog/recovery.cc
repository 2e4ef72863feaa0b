#include "storage/commitlog/recovery.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/commitlog/log_scan.h"
#include "storage/commitlog/superblock.h"
#include "storage/commitlog/topic_directory.h"
#include "storage/commitlog/torn_tail.h"
#include "storage/env/aligned_buffer.h"
#include "storage/errors.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using Kind = RecoveryFinding::Kind;

constexpr std::int64_t kRewrittenAtOnceMax = 64 * kBlockBytes;

std::string cut_path(LogPosition end) {
  char name[40];
  std::snprintf(name, sizeof name, "cut/%020lld", static_cast<long long>(end.value));
  return name;
}

/// One recovery, step by step; the order of the steps is what makes it repeatable.
class Recovery {
 public:
  Recovery(FileSystem& files, const RecoveryOptions& options)
      : files_(files), options_(options), geometry_{options.identity.file_bytes} {}

  Result<RecoveredShard> run() {
    TRY_DO(drop_pool());
    TRY(existing_, find_log_files(files_, geometry_));
    TRY_DO(check_superblocks());
    TRY(ShardReading reading, read_shard(files_, options_, existing_, report_));
    reading_.emplace(std::move(reading));
    end_ = reading_->end;
    synced_ = reading_->synced;
    TRY_DO(go_on_above_synced());
    TRY_DO(keep_cut_aside());
    TRY_DO(write_again());
    TRY_DO(drop_behind_end());
    return finish();
  }

 private:
  Result<void> drop_pool();
  Result<void> check_superblocks();
  Result<void> go_on_above_synced();
  Result<void> keep_cut_aside();
  Result<void> write_again();
  Result<void> drop_behind_end();
  Result<RecoveredShard> finish();
  LogScan make_scan() const { return {files_, geometry_, options_.identity.seed, existing_}; }
  void copy_aside(LogScan& scan, LogPosition torn_end, File& aside) const;

  FileSystem& files_;
  const RecoveryOptions& options_;
  const LogGeometry geometry_;
  std::set<LogPosition> existing_;
  std::optional<ShardReading> reading_;
  LogPosition end_;
  LogPosition synced_;
  RecoveryReport report_;
};

/// Freed files that were to be used again: which of them were on their way nobody knows any more.
Result<void> Recovery::drop_pool() {
  TRY(const std::vector<DirectoryEntry> entries, files_.list("commitlog"));
  for (const DirectoryEntry& entry : entries)
    if (entry.kind == FileKind::kFile && is_pooled_file(entry.name))
      TRY_DO(files_.remove_file("commitlog/" + entry.name));
  return protocol::ok();
}

Result<void> Recovery::check_superblocks() {
  const Identity& identity = options_.identity;
  for (const LogPosition file : existing_) {
    const std::string path = log_file_path(file);
    TRY(const std::unique_ptr<File> opened, files_.open(path, {.mode = OpenMode::kWrite}));
    Bytes block(kSuperblockBytes);
    const auto read = opened->read(0, block);
    const Superblock expected{identity.store, file, identity.file_bytes};
    const ByteView found = ByteView(block).first(read.has_value() ? *read : 0);
    switch (judge_superblock(found, identity.seed, expected)) {
      case SuperblockState::kOurs:
        break;
      case SuperblockState::kForeign:
        return make_error_code(StorageErrc::foreign);
      case SuperblockState::kDamaged:
        report_.add({Kind::kBadSuperblock, path, file, kSuperblockBytes});
        TRY_DO(opened->write(0, encode(expected, identity.seed)));
        TRY_DO(opened->sync());
        break;
    }
  }
  return protocol::ok();
}

/// Positions are never used twice: where synced bytes are lost, the log goes on in a file of its own.
Result<void> Recovery::go_on_above_synced() {
  if (end_ >= synced_) return protocol::ok();
  report_.add({Kind::kLostEnd, log_file_path(geometry_.file_of(end_)), end_, synced_.value - end_.value});
  end_ = geometry_.next_file(synced_);
  return protocol::ok();
}

/// The copy is also the memory that there was a cut, should this recovery be killed after dropping what it copied.
Result<void> Recovery::keep_cut_aside() {
  LogScan scan = make_scan();
  TornTail torn = find_torn_tail(scan, end_, LogPosition{end_.value + 2 * options_.identity.unsynced_bytes_max});
  if (torn.end && is_torn_start(scan, end_, *torn.end, reading_->state.incarnation() + 1)) torn.end.reset();
  const auto kept = files_.open(cut_path(end_), {.mode = OpenMode::kRead});
  report_.was_cut = torn.end.has_value() || torn.may_be_unseen || kept.has_value();
  if (!torn.end && !torn.may_be_unseen) return protocol::ok();
  // A copy that is there may be half of one, and not durable: what is behind the end is still all there.
  TRY(const std::unique_ptr<File> aside, files_.open(cut_path(end_), {.mode = OpenMode::kCreate}));
  if (torn.end) {
    report_.add({Kind::kTornTail, log_file_path(geometry_.file_of(end_)), end_, torn.end->value - end_.value});
    copy_aside(scan, *torn.end, *aside);
  }
  TRY_DO(aside->sync());
  return files_.sync_directory("cut");
}

void Recovery::copy_aside(LogScan& scan, LogPosition torn_end, File& aside) const {
  std::uint64_t at = 0;
  for (LogPosition from = end_; from < torn_end;) {
    const auto left = std::min(geometry_.next_file(from), torn_end).value - from.value;
    const ByteView piece = scan.bytes(from, static_cast<std::size_t>(std::min(left, kBlockBytes)));
    // A full disk must not keep a broker from starting: what is kept is kept.
    if (!piece.empty() && aside.write(at, piece).has_error()) break;
    at += piece.size();
    from =
        piece.empty() ? geometry_.next_file(from) : LogPosition{from.value + static_cast<std::int64_t>(piece.size())};
  }
}

/// Above S the page cache may show what the disk does not hold.
Result<void> Recovery::write_again() {
  LogScan scan = make_scan();
  for (LogPosition from{round_down(std::min(synced_, end_).value, kBlockBytes)}; from < end_;) {
    const LogPosition file = geometry_.file_of(from);
    const LogPosition to = std::min(geometry_.next_file(from), end_);
    if (!existing_.contains(file)) {
      from = to;
      continue;
    }
    TRY(const std::unique_ptr<File> opened,
        files_.open(log_file_path(file), {.mode = OpenMode::kWrite, .direct = true}));
    const std::int64_t whole = round_up(to.value - from.value, kBlockBytes);
    TRY(AlignedBuffer piece, AlignedBuffer::allocate(static_cast<std::size_t>(std::min(kRewrittenAtOnceMax, whole))));
    while (from < to) {
      const std::int64_t count = std::min(static_cast<std::int64_t>(piece.size()), to.value - from.value);
      const ByteView bytes = scan.bytes(from, static_cast<std::size_t>(count));
      std::ranges::fill(piece.bytes(), std::byte{0});
      std::ranges::copy(bytes, piece.bytes().begin());
      // What can't be read is damage that was reported: it is not made worse.
      if (static_cast<std::int64_t>(bytes.size()) == count) {
        TRY_DO(opened->write(static_cast<std::uint64_t>(geometry_.place_in_file(from)),
                             piece.bytes().first(static_cast<std::size_t>(round_up(count, kBlockBytes)))));
      }
      from.value += count;
    }
    TRY_DO(opened->sync());
  }
  return protocol::ok();
}

/// Blocks behind the end are prepared anew: so nothing stale is there, and their space is sure.
Result<void> Recovery::drop_behind_end() {
  bool removed = false;
  for (auto file = existing_.rbegin(); file != existing_.rend() && *file >= end_; ++file) {
    TRY_DO(files_.remove_file(log_file_path(*file)));
    removed = true;
  }
  std::erase_if(existing_, [&](LogPosition file) { return file >= end_; });
  if (removed) TRY_DO(files_.sync_directory("commitlog"));
  const LogPosition last = geometry_.file_of(end_);
  if (!existing_.contains(last)) return protocol::ok();
  TRY(const std::unique_ptr<File> opened, files_.open(log_file_path(last), {.mode = OpenMode::kWrite}));
  TRY_DO(opened->truncate(static_cast<std::uint64_t>(round_up(geometry_.place_in_file(end_), kBlockBytes))));
  return opened->sync();
}

Result<RecoveredShard> Recovery::finish() {
  LogScan scan = make_scan();
  const LogPosition block{round_down(end_.value, kBlockBytes)};
  const ByteView last = scan.bytes(block, static_cast<std::size_t>(end_.value - block.value));
  if (static_cast<std::int64_t>(last.size()) != end_.value - block.value) return file_error(EIO);
  std::vector<LogPosition> freed;
  for (const LogPosition file : existing_) {
    // A checkpoint names every file below it that was not freed; behind it the entries say so.
    const bool unnamed = file < geometry_.file_of(report_.scanned_from) && !reading_->state.files().contains(file);
    if (unnamed || reading_->state.freed().contains(file)) freed.push_back(file);
  }
  report_.end = end_;
  report_.synced = synced_;
  return RecoveredShard{.state = std::move(reading_->state),
                        .end = end_,
                        .last_block = {last.begin(), last.end()},
                        .freed = std::move(freed),
                        .checkpoint_sequence = reading_->checkpoint_sequence,
                        .checkpoint_slot = reading_->checkpoint_slot,
                        .unchecked_slot = reading_->unchecked_slot,
                        .unchecked_queues = {},
                        .report = std::move(report_)};
}

}  // namespace

Result<RecoveredShard> recover(FileSystem& files, const RecoveryOptions& options) {
  return Recovery(files, options).run();
}

Result<void> forget_unseen_cut(FileSystem& files, LogPosition end) {
  const std::string path = cut_path(end);
  {
    const auto kept = files.open(path, {.mode = OpenMode::kRead});
    if (kept.has_error()) return is_missing(kept.error()) ? protocol::ok() : Result<void>(kept.error());
    TRY(const std::uint64_t size, (*kept)->size());
    if (size > 0) return protocol::ok();
  }
  return files.remove_file(path);
}

}  // namespace braid::storage
