#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/commitlog/log_scan.h"
#include "storage/commitlog/recovery_report.h"
#include "storage/commitlog/shard_state.h"

namespace braid::storage {

/// The tags of a batch's records, one an offset or none, as append() was given them; `indexing` is the partition's.
using TagSource = std::function<std::vector<std::int64_t>(ByteView batch, std::uint32_t indexing)>;

/// Reads the log from a position to its end and applies what it finds to a state: rules 3 and 4 of docs/storage.md. It
/// changes no file.
class Replay {
 public:
  /// All outlive it. `synced`: proven so far.
  Replay(LogScan& scan, LogGeometry geometry, std::int64_t proof_bytes, const TagSource& tags, ShardState& state,
         RecoveryReport& report, LogPosition synced)
      : scan_(scan),
        geometry_(geometry),
        proof_bytes_(proof_bytes),
        tags_(tags),
        state_(state),
        report_(report),
        synced_(synced) {}

  /// Called after each entry that was applied; an error of it ends the replay.
  using Step = std::function<Result<void>()>;
  void after_each(Step step) { step_ = std::move(step); }

  /// StorageErrc::foreign for an entry of a newer program.
  Result<void> run(LogPosition from);
  LogPosition end() const { return end_; }
  LogPosition synced() const { return synced_; }

 private:
  /// Where the log goes on behind a place that holds no valid entry; nullopt: nowhere, it ends there.
  std::optional<LogPosition> behind_bad(LogPosition bad, const LogScan::Found& found);
  std::optional<LogPosition> behind_missing(LogPosition missing);
  bool is_stale(const EntryHeader& header) const { return header.incarnation < state_.incarnation(); }
  bool proven_synced(LogPosition bad);
  std::optional<LogPosition> next_valid(LogPosition from);
  void apply(const LogScan::Found& found);

  LogScan& scan_;
  const LogGeometry geometry_;
  const std::int64_t proof_bytes_;
  const TagSource& tags_;
  ShardState& state_;
  RecoveryReport& report_;
  LogPosition synced_;
  LogPosition end_;
  Step step_;
};

}  // namespace braid::storage
