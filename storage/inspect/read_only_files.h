#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/env/file_system.h"

namespace braid::storage {

/// A directory of another file system, seen as a file system of its own that refuses every change with EROFS: what
/// inspects can't write, whatever it calls. Any thread.
class ReadOnlyFiles final : public FileSystem {
 public:
  /// `below` outlives it; `directory` is a path in it, "" for all of it.
  ReadOnlyFiles(FileSystem& below, std::string_view directory) : below_(below), directory_(directory) {}

  Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) override;
  Result<void> rename(std::string_view from, std::string_view to) override;
  Result<void> remove_file(std::string_view path) override;
  Result<void> make_directory(std::string_view path) override;
  Result<void> remove_directory(std::string_view path) override;
  Result<std::vector<DirectoryEntry>> list(std::string_view directory) override;
  Result<void> sync_directory(std::string_view directory) override;
  Result<void> sync_all() override;
  Result<std::unique_ptr<FileLock>> lock(std::string_view path) override;
  Result<DiskSpace> space() override { return below_.space(); }

 private:
  FileSystem& below_;
  const std::string directory_;
};

/// `directory`/`name`, or `name` alone in the root.
std::string path_in(std::string_view directory, std::string_view name);

}  // namespace braid::storage
