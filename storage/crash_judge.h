#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/commitlog/commit_log_store.h"
#include "storage/env/memory_file_system.h"
#include "storage/env/split_mix.h"
#include "storage/store_model.h"
#include "storage/types.h"

namespace braid::storage {

/// What was done to a store, in the order of its log: since all partitions share one log, a power cut may leave the
/// state after any first so many operations, but nothing else. For tests; one thread.
class OperationHistory {
 public:
  using Effect = std::function<void(StoreModel&)>;

  void add(LogPosition end, Effect effect) { operations_.push_back({end, std::move(effect)}); }
  /// A recovery that cut a torn tail raised every epoch; what lies at or above `end` never was.
  void recovered(LogPosition end, bool was_cut);
  /// The state after the operations that end at or below `end`.
  StoreModel state_at(LogPosition end) const;
  std::size_t size() const { return operations_.size(); }

 private:
  struct Operation {
    LogPosition end;
    Effect effect;
  };
  std::vector<Operation> operations_;
};

/// Runs random operations on a store, and at each call that changes the disk looks what would be left if the power
/// failed right there: opens a copy, compares it with the history, and may cut again while the copy recovers.
class CrashJudge {
 public:
  struct Options {
    std::uint64_t seed = 0;
    int operations = 40;
    bool every_variant = false;        // at each call; else one by chance
    std::uint64_t one_in = 1;          // of so many calls one is a crash point, by chance
    bool cut_recovery = true;          // at a random call of the copy's recovery, too
    bool only_near_recycling = false;  // from where a log file goes into the pool, or becomes the log's next, on
    Lies lies = {};                    // mutations: the judge must notice
    bool acknowledge_early = false;
  };

  explicit CrashJudge(Options options) : options_(options), random_(options.seed) {}

  /// Until the first failure or the end; "" if there was none.
  std::string run();
  std::uint64_t crash_points() const { return crash_points_; }
  /// Log files that went into the pool or came out of it.
  std::uint64_t recycled() const { return files_.calls(Operation::kRename); }

 private:
  void watch();
  void open();
  void operate();
  void create();
  void remove();
  void append();
  void trim();
  void truncate();
  void start_epoch();
  void work();
  void cut_here();
  std::string judge(PowerCut cut);
  /// Opens what is left and compares it with the history; says where the log ended, and whether it was cut.
  std::string judge_disk(MemoryFileSystem& disk, const OperationHistory& history, bool& was_cut, LogPosition& end);
  PartitionId any();

  const Options options_;
  SplitMix random_;
  MemoryFileSystem files_;
  std::unique_ptr<CommitLogStore> store_;
  OperationHistory history_;
  LogPosition acknowledged_;
  std::uint64_t next_topic_ = 1;
  std::uint64_t crash_points_ = 0;
  int changes_near_recycling_ = 0;
  std::int64_t clock_ms_ = 0;
  std::string failure_;
};

}  // namespace braid::storage
