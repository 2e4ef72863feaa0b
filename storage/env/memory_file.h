#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/env/power_cut.h"
#include "storage/env/sparse_bytes.h"
#include "storage/env/split_mix.h"

namespace braid::storage {

/// What a power cut does to one file, apart from the file itself.
struct FileCut {
  CutVariant variant = CutVariant::kDropUnsynced;
  std::uint64_t torn_sequence = 0;     // kTornPage: the write that is torn; later ones are lost
  std::span<const PagePtr> old_pages;  // kLengthWithoutBytes: what a removed file left behind
};

/// One file of a MemoryDisk: what a reader sees, what the disk holds for sure, and the changes in between in order. A
/// value; one thread at a time.
///
/// A change is a page as it is after the write, or a new size. As on Linux a failed sync leaves pages that are seen,
/// are not on the disk, and will not be written by the next sync either, unless they are written again.
class MemoryFile {
 public:
  const SparseBytes& seen() const { return seen_; }

  /// `sequence` numbers the changes of all files in the order in which they were made; it moves on.
  void write(std::uint64_t at, protocol::ByteView bytes, std::uint64_t& sequence);
  void resize(std::uint64_t size_bytes, std::uint64_t& sequence);
  /// Takes space for the holes among these pages; the size stays.
  void allocate(std::uint64_t begin_page, std::uint64_t end_page, std::uint64_t& sequence);

  void sync();
  /// The sync that fails: of the unsynced changes some, by chance, are on the disk, and none is unsynced any more.
  void fail_sync(SplitMix& random);

  /// Numbers of the unsynced page writes.
  void collect_unsynced(std::vector<std::uint64_t>& sequences) const;

  /// What is left after the cut; kKeepAll leaves all as it is.
  void cut(const FileCut& cut, SplitMix& random);

  /// Changes bytes on the disk and as seen, as a fault of the medium does.
  void damage(std::uint64_t at, protocol::ByteView bytes);

 private:
  struct Change {
    std::uint64_t sequence = 0;
    std::uint64_t page_index = 0;
    PagePtr page;
    std::optional<std::uint64_t> size_bytes;  // a change of the size when set, else of the page
  };

  void note(Change change);
  void replay_onto_disk(const FileCut& cut, SplitMix& random);
  /// The page that the disk has after `change` met the cut, or nullopt for no change.
  std::optional<PagePtr> surviving_page(const Change& change, const FileCut& cut, std::uint64_t old_pages_end,
                                        SplitMix& random) const;

  SparseBytes seen_;
  SparseBytes on_disk_;
  std::deque<Change> unsynced_;
};

}  // namespace braid::storage
