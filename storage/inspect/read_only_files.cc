#include "storage/inspect/read_only_files.h"

#include <cerrno>

namespace braid::storage {

std::string path_in(std::string_view directory, std::string_view name) {
  if (directory.empty()) return std::string(name);
  if (name.empty()) return std::string(directory);
  return std::string(directory) + "/" + std::string(name);
}

Result<std::unique_ptr<File>> ReadOnlyFiles::open(std::string_view path, OpenOptions options) {
  if (options.mode != OpenMode::kRead) return file_error(EROFS);
  return below_.open(path_in(directory_, path), options);
}

Result<std::vector<DirectoryEntry>> ReadOnlyFiles::list(std::string_view directory) {
  return below_.list(path_in(directory_, directory));
}

Result<void> ReadOnlyFiles::rename(std::string_view, std::string_view) { return file_error(EROFS); }
Result<void> ReadOnlyFiles::remove_file(std::string_view) { return file_error(EROFS); }
Result<void> ReadOnlyFiles::make_directory(std::string_view) { return file_error(EROFS); }
Result<void> ReadOnlyFiles::remove_directory(std::string_view) { return file_error(EROFS); }
Result<void> ReadOnlyFiles::sync_directory(std::string_view) { return file_error(EROFS); }
Result<void> ReadOnlyFiles::sync_all() { return file_error(EROFS); }
Result<std::unique_ptr<FileLock>> ReadOnlyFiles::lock(std::string_view) { return file_error(EROFS); }

}  // namespace braid::storage
