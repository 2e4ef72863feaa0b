#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/env/file_system.h"

namespace braid::storage {

/// The control of a power-cut test: a file system that passes everything on, through the page cache, and claims to have
/// synced what it never synced. Contract otherwise: FileSystem.
class UnsyncedFileSystem final : public FileSystem {
 public:
  explicit UnsyncedFileSystem(std::unique_ptr<FileSystem> below) : below_(std::move(below)) {}

  Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) override {
    options.direct = false;
    TRY(std::unique_ptr<File> file, below_->open(path, options));
    return std::unique_ptr<File>(std::make_unique<UnsyncedFile>(std::move(file)));
  }
  Result<void> rename(std::string_view from, std::string_view to) override { return below_->rename(from, to); }
  Result<void> remove_file(std::string_view path) override { return below_->remove_file(path); }
  Result<void> make_directory(std::string_view path) override { return below_->make_directory(path); }
  Result<void> remove_directory(std::string_view path) override { return below_->remove_directory(path); }
  Result<std::vector<DirectoryEntry>> list(std::string_view directory) override { return below_->list(directory); }
  Result<void> sync_directory(std::string_view) override { return protocol::ok(); }
  Result<void> sync_all() override { return protocol::ok(); }
  Result<std::unique_ptr<FileLock>> lock(std::string_view path) override { return below_->lock(path); }
  Result<DiskSpace> space() override { return below_->space(); }

 private:
  class UnsyncedFile final : public File {
   public:
    explicit UnsyncedFile(std::unique_ptr<File> below) : File(false), below_(std::move(below)) {}
    Result<void> sync() override { return protocol::ok(); }
    Result<void> truncate(std::uint64_t size_bytes) override { return below_->truncate(size_bytes); }
    Result<void> allocate(std::uint64_t at, std::uint64_t bytes) override { return below_->allocate(at, bytes); }
    Result<std::uint64_t> size() override { return below_->size(); }
    void advise(std::uint64_t at, std::uint64_t bytes, Advice advice) override { below_->advise(at, bytes, advice); }

   private:
    Result<std::size_t> read_some(std::uint64_t at, MutableBytes into) override { return below_->read(at, into); }
    Result<std::size_t> write_some(std::uint64_t at, std::span<const ByteView> pieces) override {
      std::size_t bytes = 0;
      for (const ByteView piece : pieces) bytes += piece.size();
      TRY_DO(below_->write(at, pieces));
      return bytes;
    }

    const std::unique_ptr<File> below_;
  };

  const std::unique_ptr<FileSystem> below_;
};

}  // namespace braid::storage
