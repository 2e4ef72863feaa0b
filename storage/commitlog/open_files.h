#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "storage/env/file_system.h"

namespace braid::storage {

/// The few files that are open out of the many that exist: the least recently used one is closed for the next. No file
/// is held per partition.
///
/// Any thread: a mutex guards the table, never a call to the disk (docs/decisions/consume_queue_files.md).
class OpenFiles {
 public:
  /// `files` outlives it. At most `files_max` > 0 are kept open; one more a thread while it uses a file that was closed
  /// under it.
  OpenFiles(FileSystem& files, std::size_t files_max);

  /// An existing file to read: errors as of FileSystem::open.
  Result<std::shared_ptr<File>> open_to_read(std::string_view path);
  /// To read and write; with `create` it is made when missing.
  Result<std::shared_ptr<File>> open_to_write(std::string_view path, bool create);

  /// The file at `path`, or everything below the directory `path`, is about to be removed: nobody gets it from here
  /// any more.
  void forget(std::string_view path);
  /// Somebody may still use the file that was at `path` when it was forgotten.
  bool is_used(std::string_view path);

  std::size_t open_count() const;

 private:
  struct Slot {
    std::string path;
    std::shared_ptr<File> file;
    bool writable = false;
    std::uint64_t last_use = 0;
  };
  /// Handed out once; gone when nobody has it any more.
  struct Given {
    std::string path;
    std::weak_ptr<File> file;
  };

  Result<std::shared_ptr<File>> open(std::string_view path, OpenMode mode);
  std::shared_ptr<File> find(std::string_view path, bool writable);
  void prune_given();

  FileSystem& files_;
  const std::size_t files_max_;

  mutable std::mutex mutex_;
  // Under the mutex.
  std::vector<Slot> slots_;
  std::uint64_t uses_ = 0;
  std::uint64_t forgotten_ = 0;  // counts forget(): a file opened before it is not kept
  std::size_t opening_ = 0;      // calls that are opening a file just now
  std::vector<Given> given_;
};

}  // namespace braid::storage
