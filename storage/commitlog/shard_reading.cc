#include "storage/commitlog/shard_reading.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/commitlog/checkpoint.h"
#include "storage/commitlog/log_scan.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using Kind = RecoveryFinding::Kind;

class Reading {
 public:
  Reading(FileSystem& files, const RecoveryOptions& options, const std::set<LogPosition>& existing,
          RecoveryReport& report)
      : files_(files),
        options_(options),
        geometry_{options.identity.file_bytes},
        existing_(existing),
        report_(report) {}

  Result<ShardReading> run() {
    look_at_checkpoints();
    TRY_DO(replay());
    return ShardReading{.state = *std::move(state_),
                        .end = end_,
                        .synced = synced_,
                        .checkpoint_sequence = sequence_,
                        .checkpoint_slot = newest_slot_,
                        .unchecked_slot = unchecked_slot_};
  }

 private:
  struct Candidate {
    int slot = 0;
    CheckpointHeader header;
  };

  void look_at_checkpoints();
  Result<void> replay();
  std::optional<ShardState> state_of(const Candidate& candidate) const;
  Result<void> replay_from(const Candidate* candidate);
  void report_bad_checkpoint(int slot, LogPosition position);
  void report_missing();
  void report_missing_file(LogPosition file);

  FileSystem& files_;
  const RecoveryOptions& options_;
  const LogGeometry geometry_;
  const std::set<LogPosition>& existing_;
  RecoveryReport& report_;
  std::vector<Candidate> candidates_;  // newest first
  std::uint64_t sequence_ = 0;
  int newest_slot_ = 1;
  std::optional<int> unchecked_slot_;
  std::optional<ShardState> state_;
  LogPosition end_;
  LogPosition synced_;
};

/// Only one of the slots is read: a payload that is damaged is found by who needs it.
void Reading::look_at_checkpoints() {
  for (int slot = 0; slot < 2; ++slot) {
    const auto seen = look_at_checkpoint_slot(files_, slot, options_.identity.store);
    if (!seen) continue;
    if (seen->fault == CheckpointFault::kNone) {
      candidates_.push_back({slot, seen->header});
    } else {
      report_bad_checkpoint(slot, {});
    }
  }
  std::ranges::sort(candidates_,
                    [](const Candidate& a, const Candidate& b) { return a.header.sequence > b.header.sequence; });
  if (candidates_.empty()) return;
  sequence_ = candidates_.front().header.sequence;
  newest_slot_ = candidates_.front().slot;
  if (options_.from_log_only) candidates_.clear();
}

Result<void> Reading::replay() {
  for (const Candidate& candidate : candidates_) {
    if (log_ends_before(files_, geometry_, existing_, candidate.header.position)) {
      report_bad_checkpoint(candidate.slot, candidate.header.position);
      synced_ = std::max(synced_, candidate.header.position);
      continue;
    }
    TRY_DO(replay_from(&candidate));
    if (state_) {
      if (&candidate != &candidates_.back()) unchecked_slot_ = candidates_.back().slot;
      newest_slot_ = candidate.slot;  // never the place of the next one: it is the one that is known to be good
      return protocol::ok();
    }
    report_bad_checkpoint(candidate.slot, candidate.header.position);
  }
  return replay_from(nullptr);
}

std::optional<ShardState> Reading::state_of(const Candidate& candidate) const {
  const Bytes slot = load_checkpoint_slot(files_, candidate.slot);
  if (read_checkpoint_header(slot, options_.identity.store) != candidate.header) return std::nullopt;
  return decode_checkpoint(slot, geometry_);
}

/// state_ is set unless the candidate turns out to be useless.
Result<void> Reading::replay_from(const Candidate* candidate) {
  std::optional<ShardState> state = candidate != nullptr ? state_of(*candidate) : std::optional<ShardState>(geometry_);
  if (!state) return protocol::ok();
  const LogPosition first = existing_.empty() ? LogPosition{0} : *existing_.begin();
  const LogPosition from = candidate != nullptr ? candidate->header.position : first;
  LogScan scan(files_, geometry_, options_.identity.seed, existing_);
  Replay replay(scan, geometry_, 2 * options_.identity.unsynced_bytes_max, options_.tags, *state, report_,
                std::max(synced_, candidate != nullptr ? from : LogPosition{0}));
  TRY_DO(replay.run(from));
  end_ = replay.end();
  synced_ = replay.synced();
  report_.scanned_from = from;
  report_.scanned_bytes = scan.scanned_bytes();
  state_.emplace(*std::move(state));
  report_missing();
  return protocol::ok();
}

void Reading::report_bad_checkpoint(int slot, LogPosition position) {
  report_.add({Kind::kBadCheckpoint, "checkpoint/" + std::to_string(slot), position, 0});
}

void Reading::report_missing_file(LogPosition file) {
  report_.add({Kind::kMissingFile, log_file_path(file), file, geometry_.file_bytes});
}

/// A hole that a later entry explains was no damage.
void Reading::report_missing() {
  // Below what was scanned: the files that the checkpoint names, or all before the first.
  for (const LogPosition file : state_->files())
    if (file < geometry_.file_of(report_.scanned_from) && !existing_.contains(file)) report_missing_file(file);
  const LogPosition first = existing_.empty() ? LogPosition{0} : *existing_.begin();
  for (LogPosition file; report_.scanned_from == first && file < first; file = geometry_.next_file(file))
    if (!state_->may_be_missing(file)) report_missing_file(file);
  const auto is_freed = [&](const RecoveryFinding& finding) {
    return finding.kind == Kind::kMissingFile && state_->may_be_missing(geometry_.file_of(finding.position));
  };
  report_.findings_count -= static_cast<std::int64_t>(std::erase_if(report_.findings, is_freed));
  for (const auto& [id, partition] : state_->partitions()) {
    if (!partition.identity->provisional) continue;
    const std::string who =
        protocol::to_text(partition.identity->topic) + "-" + std::to_string(partition.identity->queue.value);
    report_.add({Kind::kUnknownPartition, who, {}, 0});
  }
}

}  // namespace

Result<std::set<LogPosition>> find_log_files(FileSystem& files, const LogGeometry& geometry) {
  std::set<LogPosition> existing;
  TRY(const std::vector<DirectoryEntry> entries, files.list("commitlog"));
  for (const DirectoryEntry& entry : entries) {
    const std::optional<LogPosition> position = log_file_position(entry.name);
    const bool is_log = entry.kind == FileKind::kFile && position && geometry.place_in_file(*position) == 0;
    if (is_log) existing.insert(*position);
  }
  return existing;
}

bool log_ends_before(FileSystem& files, const LogGeometry& geometry, const std::set<LogPosition>& existing,
                     LogPosition position) {
  if (position.value == 0) return false;
  const LogPosition last{position.value - 1};
  const LogPosition file = geometry.file_of(last);
  const auto opened = files.open(log_file_path(file), {.mode = OpenMode::kRead});
  if (opened.has_error()) return !existing.contains(geometry.file_of(position));
  const auto size = (*opened)->size();
  return size.has_error() || static_cast<std::int64_t>(*size) < position.value - file.value;
}

Result<ShardReading> read_shard(FileSystem& files, const RecoveryOptions& options,
                                const std::set<LogPosition>& existing, RecoveryReport& report) {
  return Reading(files, options, existing, report).run();
}

}  // namespace braid::storage
