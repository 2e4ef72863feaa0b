#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/bench/counting_file_system.h"
#include "storage/bench/report.h"
#include "storage/env/file_system.h"

namespace braid::storage {

/// Sizes of a run: small ones for everyday use, or those that the goals name.
struct BenchSizes {
  std::uint64_t small_batches_bytes = 0;  // of one measured stretch of 1 KiB batches
  std::uint64_t large_batches_bytes = 0;  // of 16 KiB batches
  std::uint64_t log_bytes = 0;            // for opening, rebuilding and reading
  std::uint64_t touched_bytes = 0;
  int rounds = 3;
};

/// A directory of its own below the one given: removed in the end.
class Workspace {
 public:
  /// Ends the program where no directory can be made: nothing can be measured then.
  explicit Workspace(const std::string& parent);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// The file system that lives there; what is measured gets one that counts.
  FileSystem& files() { return *files_; }
  /// Everything in it is gone.
  void clear();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<FileSystem> files_;
};

/// What every measure is given.
struct Bench {
  Workspace& workspace;
  Report& report;
  BenchSizes sizes;
};

}  // namespace braid::storage
