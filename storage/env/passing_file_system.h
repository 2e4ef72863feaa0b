#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/env/file_system.h"

namespace braid::storage {

/// A file that passes everything on to another: what does one thing otherwise is derived from it. Contract: File.
class PassingFile : public File {
 public:
  explicit PassingFile(std::unique_ptr<File> below) : File(below->direct()), below_(std::move(below)) {}

  Result<void> sync() override { return below_->sync(); }
  Result<void> truncate(std::uint64_t size_bytes) override { return below_->truncate(size_bytes); }
  Result<void> allocate(std::uint64_t at, std::uint64_t bytes) override { return below_->allocate(at, bytes); }
  Result<std::uint64_t> size() override { return below_->size(); }
  void advise(std::uint64_t at, std::uint64_t bytes, Advice advice) override { below_->advise(at, bytes, advice); }

 protected:
  Result<std::size_t> read_some(std::uint64_t at, MutableBytes into) override { return below_->read(at, into); }
  Result<std::size_t> write_some(std::uint64_t at, std::span<const ByteView> pieces) override {
    std::size_t bytes = 0;
    for (const ByteView piece : pieces) bytes += piece.size();
    TRY_DO(below_->write(at, pieces));
    return bytes;
  }

 private:
  const std::unique_ptr<File> below_;
};

/// A file system that passes everything on to another, which outlives it; open() is what derived ones begin with.
/// Contract: FileSystem.
class PassingFileSystem : public FileSystem {
 public:
  explicit PassingFileSystem(FileSystem& below) : below_(below) {}

  Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) override {
    return below_.open(path, options);
  }
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
};

}  // namespace braid::storage
