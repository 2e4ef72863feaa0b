#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/env/memory_file_system.h"
#include "storage/store_model.h"

namespace braid::storage {

/// The files of a store that has lived: several partitions and log files, batches of many sizes, a removed and remade
/// topic, trims, cuts, epochs, a restart, all proven synced. Tests damage copies of it and look what is served. One
/// thread.
class StoreImage {
 public:
  StoreImage();

  /// An entry of the log, and whose it is.
  struct Entry {
    EntryHeader header;
    std::string path;  // of its log file
    std::uint64_t at = 0;
    bool is_control() const;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  const StoreModel& model() const { return model_; }
  std::unique_ptr<MemoryFileSystem> copy() const { return files_.after_cut({CutVariant::kKeepAll, 0}); }
  /// The same store some time before: where stale pages come from.
  MemoryFileSystem& earlier() const { return *earlier_; }
  std::vector<std::string> log_files() const;

  /// What may be missing after some damage.
  struct Harm {
    /// Byte ranges of log files, [begin, end): batches in them may answer `corrupt`.
    std::vector<std::pair<std::string, std::pair<std::uint64_t, std::uint64_t>>> ranges = {};
    bool from_log_only = false;
    /// The log's newest entries may be gone: what is left of each partition is a first part.
    bool may_be_cut = false;

    bool hits(const Entry& entry) const;
  };
  /// Opens the damaged files and compares every record: served as it was, or in a harmed entry, which answers
  /// `corrupt`.
  /// "" if so. What the opening reported is left in `report`.
  std::string judge(MemoryFileSystem& files, const Harm& harm, RecoveryReport& report) const;

 private:
  void live();
  void find_entries();
  /// What only a control entry says may be gone with it: starts, ends, epochs.
  bool hits_control(const Harm& harm) const;
  std::string judge_partition(CommitLogStore& store, const StoreModel::Partition& expected, const Harm& harm) const;
  std::string judge_long_read(CommitLogStore& store, PartitionId id, const StoreModel::Partition& expected,
                              const Harm& harm) const;
  bool was_there(const StoreModel::Partition& partition, ByteView batch) const;
  bool hits(const Harm& harm, const StoreModel::Partition& partition, const StoreModel::Record& batch) const;

  MemoryFileSystem files_;
  std::unique_ptr<MemoryFileSystem> earlier_;
  StoreModel model_;
  std::vector<Entry> entries_;
  std::map<std::pair<StoreModel::Key, std::int64_t>, std::size_t> batches_;  // the last with this base
};

protocol::Bytes content_of(MemoryFileSystem& files, const std::string& path);

}  // namespace braid::storage
