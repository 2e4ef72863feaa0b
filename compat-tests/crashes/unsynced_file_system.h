#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "storage/env/passing_file_system.h"

namespace braid::storage {

/// The control of a power-cut test: a file system that passes everything on, through the page cache, and claims to have
/// synced what it never synced. Contract otherwise: FileSystem.
class UnsyncedFileSystem final : public PassingFileSystem {
 public:
  explicit UnsyncedFileSystem(std::unique_ptr<FileSystem> below)
      : PassingFileSystem(*below), below_(std::move(below)) {}

  Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) override {
    options.direct = false;
    TRY(std::unique_ptr<File> file, PassingFileSystem::open(path, options));
    return std::unique_ptr<File>(std::make_unique<UnsyncedFile>(std::move(file)));
  }
  Result<void> sync_directory(std::string_view) override { return protocol::ok(); }
  Result<void> sync_all() override { return protocol::ok(); }

 private:
  class UnsyncedFile final : public PassingFile {
   public:
    using PassingFile::PassingFile;
    Result<void> sync() override { return protocol::ok(); }
  };

  const std::unique_ptr<FileSystem> below_;
};

}  // namespace braid::storage
