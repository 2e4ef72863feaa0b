#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "storage/env/file_system.h"
#include "storage/env/memory_state.h"

namespace braid::storage {

/// An open file of a MemoryFileSystem; see File for the contract. Holds the file until it is closed.
class MemoryHandle final : public File {
 public:
  /// `file` is held already; the handle releases it. Both by the holder of the state's mutex.
  MemoryHandle(std::shared_ptr<MemoryState> state, std::uint64_t file, std::string path, bool writable, bool direct);
  ~MemoryHandle() override;

  Result<void> sync() override;
  Result<void> truncate(std::uint64_t size_bytes) override;
  Result<void> allocate(std::uint64_t at, std::uint64_t bytes) override;
  Result<std::uint64_t> size() override;
  void advise(std::uint64_t, std::uint64_t, Advice) override {}

 private:
  Result<std::size_t> read_some(std::uint64_t at, MutableBytes into) override;
  Result<std::size_t> write_some(std::uint64_t at, std::span<const ByteView> pieces) override;

  MemoryCall call(Operation operation, bool changes_disk) const { return {operation, path_, changes_disk}; }
  /// Of an earlier boot, or not opened for what is asked.
  Result<void> usable(bool for_writing) const;

  const std::shared_ptr<MemoryState> state_;
  const std::uint64_t boot_;
  const std::uint64_t file_;
  const std::string path_;
  const bool writable_;
};

/// A lock of a MemoryFileSystem.
class MemoryLock final : public FileLock {
 public:
  /// `file` is in the set of locked files already.
  MemoryLock(std::shared_ptr<MemoryState> state, std::uint64_t file);
  ~MemoryLock() override;

 private:
  const std::shared_ptr<MemoryState> state_;
  const std::uint64_t boot_;
  const std::uint64_t file_;
};

}  // namespace braid::storage
