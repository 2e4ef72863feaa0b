#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "storage/env/fault_plan.h"
#include "storage/env/file_system.h"
#include "storage/env/power_cut.h"

namespace braid::storage {

struct MemoryOptions {
  std::uint64_t capacity_bytes = std::uint64_t{1} << 40;
  bool allows_direct = true;  // false: direct opens fall back to buffered, as on some file systems
};

/// One call, as an observer sees it just before it happens. Views live as long as the observer's call.
struct MemoryCall {
  Operation operation;
  std::string_view path;      // as it was when the file was opened; "" of calls without one
  bool changes_disk = false;  // so that a power cut before it and one after it may differ
};

/// Syncs that claim success and do nothing: the mutations that every power-cut test must notice.
struct Lies {
  bool sync = false;            // File::sync and sync_all
  bool sync_directory = false;  // and the names of sync_all
  bool sync_all = false;        // of the files; File::sync does what it should
};

struct MemoryState;

/// A file system in memory that can lose power, fail and fill up; the same calls and seeds give the same bytes. For
/// tests and for brokers without a disk. Any thread; one mutex inside, which nothing but this class waits for.
///
/// A power cut can be had in two ways: cut_power_after() lets the n-th next change meet a dead machine, and restart()
/// turns it on again; after_cut() hands out what would be found if the power failed now, and the original goes on, so
/// that one run with an observer tries a cut at each of its calls.
class MemoryFileSystem final : public FileSystem {
 public:
  explicit MemoryFileSystem(MemoryOptions options = {});
  ~MemoryFileSystem() override;

  Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) override;
  Result<void> rename(std::string_view from, std::string_view to) override;
  Result<void> remove_file(std::string_view path) override;
  Result<void> make_directory(std::string_view path) override;
  Result<void> remove_directory(std::string_view path) override;
  Result<std::vector<DirectoryEntry>> list(std::string_view directory) override;
  Result<void> sync_directory(std::string_view directory) override;
  Result<void> sync_all() override;
  Result<std::unique_ptr<FileLock>> lock(std::string_view path) override;
  Result<DiskSpace> space() override;

  /// After `changes` more calls that change the disk every call fails with ENODEV, until restart().
  void cut_power_after(std::uint64_t changes);
  bool has_power() const;
  /// The machine, or with kKeepAll only the process, starts again. Files and locks opened before are dead (ESTALE),
  /// faults, lies and a planned cut are forgotten; the observer, the capacity and damaged ranges stay.
  void restart(PowerCut cut);
  /// What restart(cut) would make of it, as a file system of its own, without observer and faults.
  std::unique_ptr<MemoryFileSystem> after_cut(PowerCut cut) const;

  void plan(Fault fault);
  void clear_faults();
  /// Reads that touch [begin, end) of this file fail with `error` until heal_reads(), also after a restart.
  Result<void> fail_reads(std::string_view path, std::uint64_t begin, std::uint64_t end, int error);
  void heal_reads();
  /// Below what is used, nothing more fits until enough was freed.
  void set_capacity(std::uint64_t bytes);
  void tell(Lies lies);
  /// Changes bytes at rest, synced or not, as a fault of the medium does. Inside the file.
  Result<void> damage(std::string_view path, std::uint64_t at, ByteView bytes);

  /// Called before each call, by the thread that makes it, outside the mutex: may call after_cut() and the counters.
  /// Set while no other thread uses the file system.
  void observe(std::function<void(const MemoryCall&)> observer);
  /// Calls of this kind, and calls that change the disk, since the construction; failed ones count.
  std::uint64_t calls(Operation operation) const;
  std::uint64_t changes() const;

 private:
  explicit MemoryFileSystem(std::shared_ptr<MemoryState> state);

  const std::shared_ptr<MemoryState> state_;  // shared with open files and locks
};

}  // namespace braid::storage
