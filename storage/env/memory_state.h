#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "storage/env/fault_plan.h"
#include "storage/env/memory_disk.h"
#include "storage/env/memory_file_system.h"
#include "storage/env/split_mix.h"

namespace braid::storage {

/// A range of a file that can't be read.
struct UnreadableRange {
  std::uint64_t file = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  int error = 0;
};

/// What a MemoryFileSystem and its open files share. All but `observer` and `allows_direct` is for the holder of
/// `mutex`.
struct MemoryState {
  explicit MemoryState(MemoryOptions options) : allows_direct(options.allows_direct), disk(options.capacity_bytes) {}

  const bool allows_direct;
  std::function<void(const MemoryCall&)> observer;

  mutable std::mutex mutex;
  MemoryDisk disk;
  FaultPlan faults;
  std::vector<UnreadableRange> unreadable;
  Lies lies;
  std::set<std::uint64_t> locked;  // ids of files
  std::uint64_t boot = 0;          // files and locks of an earlier one are dead
  std::uint64_t changes_left = std::numeric_limits<std::uint64_t>::max();
  bool has_power = true;
  std::uint64_t changes = 0;
  std::array<std::uint64_t, kOperations> calls{};
  SplitMix chance{1};  // how much of a call that fails was done
};

/// One call: holds the mutex for its length and says how it ends before it began.
class CallInProgress {
 public:
  /// Tells the observer, takes the mutex, counts, and looks for a power cut and for a fault.
  CallInProgress(MemoryState& state, const MemoryCall& call);

  /// Set when the call must fail with it. A write or sync then may have done a part.
  const std::optional<boost::system::error_code>& failure() const { return failure_; }
  /// The failure is a planned one, of a machine that runs.
  bool struck() const { return struck_; }
  /// The call does only a part.
  bool is_short() const { return short_; }

 private:
  std::unique_lock<std::mutex> lock_;
  std::optional<boost::system::error_code> failure_;
  bool struck_ = false;
  bool short_ = false;
};

}  // namespace braid::storage
