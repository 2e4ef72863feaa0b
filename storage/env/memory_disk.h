#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "storage/env/file_system.h"
#include "storage/env/memory_file.h"
#include "storage/env/name_journal.h"
#include "storage/env/power_cut.h"
#include "storage/env/split_mix.h"

namespace braid::storage {

/// The disk of a MemoryFileSystem: files, names and free space, with what each sync made durable. A value, so that a
/// power cut can be tried on a copy. Errors are those of Linux. One thread at a time.
class MemoryDisk {
 public:
  explicit MemoryDisk(std::uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// The file's id, valid while it has a name or is held.
  Result<std::uint64_t> open(std::string_view path, OpenMode mode);
  Result<std::uint64_t> find_file(std::string_view path) const;
  /// An open file keeps its bytes when its last name goes; each hold is released once.
  void hold(std::uint64_t file) { ++holds_[file]; }
  void release(std::uint64_t file);

  std::size_t read(std::uint64_t file, std::uint64_t at, MutableBytes into) const;
  /// Bytes written: fewer than given when the disk is full after them, ENOSPC when it is full before.
  Result<std::size_t> write(std::uint64_t file, std::uint64_t at, std::span<const ByteView> pieces);
  Result<void> truncate(std::uint64_t file, std::uint64_t size_bytes);
  Result<void> allocate(std::uint64_t file, std::uint64_t at, std::uint64_t bytes);
  std::uint64_t size(std::uint64_t file) const;
  void sync(std::uint64_t file);
  void fail_sync(std::uint64_t file, SplitMix& random);

  Result<void> rename(std::string_view from, std::string_view to);
  Result<void> remove_file(std::string_view path);
  Result<void> make_directory(std::string_view path);
  Result<void> remove_directory(std::string_view path);
  Result<std::vector<DirectoryEntry>> list(std::string_view directory) const;
  /// The directory's id for sync_directory.
  Result<std::uint64_t> find_directory(std::string_view directory) const;
  void sync_directory(std::uint64_t directory);
  void sync_names();
  void sync_files();
  void fail_sync_all(SplitMix& random);

  DiskSpace space() const;
  void set_capacity(std::uint64_t bytes) { capacity_bytes_ = bytes; }
  void damage(std::uint64_t file, std::uint64_t at, ByteView bytes);

  /// Becomes what the machine finds when it is on again. Nothing is held any more.
  void cut(PowerCut cut);

 private:
  /// A name and where it is or would be.
  struct Place {
    std::uint64_t directory = 0;
    std::string name;
    std::optional<Node> node;
  };

  Result<Place> locate(std::string_view path) const;
  Result<Node> find_node(std::string_view path) const;
  bool is_inside(std::uint64_t directory, std::uint64_t ancestor) const;
  MemoryFile& file(std::uint64_t id);
  const MemoryFile& file(std::uint64_t id) const;
  /// Free pages, and more than there are when the capacity was lowered under what is used: none.
  std::uint64_t free_pages() const;
  /// Accounts for the pages that `change` takes or gives in a file.
  template <class Change>
  void change_file(std::uint64_t id, Change change);
  /// Gives the space of a file that has neither a name nor a holder; its bytes stay while a crash could bring the name
  /// back.
  void give_space(std::uint64_t id);
  void collect_garbage();

  NameJournal names_;
  std::map<std::uint64_t, MemoryFile> files_;
  std::map<std::uint64_t, std::uint32_t> holds_;
  std::set<std::uint64_t> nameless_;  // without a name as seen
  std::deque<PagePtr> old_pages_;     // of files whose space was given, the newest kFreedPagesMax
  std::uint64_t next_id_ = kRootNode.id + 1;
  std::uint64_t sequence_ = 1;
  std::uint64_t capacity_bytes_;
  std::uint64_t used_pages_ = 0;  // of files that have a name as seen, or a holder
  std::size_t garbage_threshold_ = 64;
};

}  // namespace braid::storage
