#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "storage/env/passing_file_system.h"

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
class CountingFileSystem final : public PassingFileSystem {
 public:
  using PassingFileSystem::PassingFileSystem;
  const FileCounts& counts() const { return *counts_; }

  Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) override;

 private:
  const std::shared_ptr<FileCounts> counts_ = std::make_shared<FileCounts>();  // shared with open files
};

}  // namespace braid::storage
