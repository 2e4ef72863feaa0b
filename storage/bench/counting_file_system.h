#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "storage/env/file_system.h"

namespace braid::storage {

/// What passed the seam. Of the log's files, the writer's bytes are apart from those that prepare blocks.
struct FileCounts {
  std::atomic<std::uint64_t> writer_bytes{0};
  std::atomic<std::uint64_t> prepared_bytes{0};
  std::atomic<std::uint64_t> other_bytes{0};  // queues, checkpoints
  std::atomic<std::uint64_t> read_bytes{0};
  std::atomic<std::uint64_t> calls{0};  // reads, writes and syncs
};

/// A file system that passes everything on and counts it. Contract: FileSystem.
class CountingFileSystem final : public FileSystem {
 public:
  explicit CountingFileSystem(FileSystem& below) : below_(below) {}
  const FileCounts& counts() const { return *counts_; }

  Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) override;
  Result<void> rename(std::string_view from, std::string_view to) override { return below_.rename(from, to); }
  Result<void> remove_file(std::string_view path) override { return below_.remove_file(path); }
  Result<void> make_directory(std::string_view path) override { return below_.make_directory(path); }
  Result<void> remove_directory(std::string_view path) override { return below_.remove_directory(path); }
  Result<std::vector<DirectoryEntry>> list(std::string_view directory) override { return below_.list(directory); }
  Result<void> sync_directory(std::string_view directory) override { return below_.sync_directory(directory); }
  Result<void> sync_all() override { return below_.sync_all(); }
  Result<std::unique_ptr<FileLock>> lock(std::string_view path) override { return below_.lock(path); }
  Result<DiskSpace> space() override { return below_.space(); }

 private:
  FileSystem& below_;
  const std::shared_ptr<FileCounts> counts_ = std::make_shared<FileCounts>();  // shared with open files
};

}  // namespace braid::storage
