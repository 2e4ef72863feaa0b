#pragma once

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid::storage {

/// The calls of FileSystem, File and FileLock that reach the disk.
enum class Operation {
  kOpen,
  kRead,
  kWrite,
  kSync,
  kTruncate,
  kAllocate,
  kSize,
  kRename,
  kRemoveFile,
  kMakeDirectory,
  kRemoveDirectory,
  kList,
  kSyncDirectory,
  kSyncAll,
  kLock,
  kSpace,
};
inline constexpr std::size_t kOperations = 16;

std::string_view name_of(Operation operation);

/// A call that will go wrong. A failed write may have written a part, a failed sync may have synced a part and forgets
/// the rest; every other failed call did nothing.
struct Fault {
  enum class Effect {
    kError,
    kShort,  // a read or write does a part, at least a byte, and says so
  };

  std::optional<Operation> operation;  // none: any
  /// Of the path that the file was opened with; "" matches all. The initialiser lets designated ones leave it out.
  std::string path_prefix = {};  // NOLINT(readability-redundant-member-init)
  std::uint64_t nth = 1;         // the first call that goes wrong, of those that match from now on
  bool for_ever = false;         // all after it too
  Effect effect = Effect::kError;
  int error = EIO;
};

/// Decides which calls go wrong. One thread at a time.
class FaultPlan {
 public:
  void add(Fault fault) { pending_.push_back({std::move(fault), 0}); }
  void clear() { pending_.clear(); }

  /// Counts a call; the fault that strikes it, if any. Valid until the next change.
  const Fault* strike(Operation operation, std::string_view path);

 private:
  struct Pending {
    Fault fault;
    std::uint64_t matched = 0;
  };
  std::vector<Pending> pending_;
};

}  // namespace braid::storage
