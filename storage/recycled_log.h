#pragma once

#include <string>

#include "protocol/base/check.h"
#include "protocol/wire/reader.h"
#include "storage/commitlog/superblock.h"
#include "storage/test_store.h"

namespace braid::storage {

/// A store whose log has gone on for some entries in a file that was freed before. For tests; one thread.
struct RecycledLog {
  static constexpr std::int64_t kFileBytes = 128 * 1024;
  static constexpr std::int64_t kBatchEntryBytesMin = 152;

  RecycledLog() {
    busy = store.create("busy");
    while (!is_recycled(active_file())) {
      // Old entries that begin where a block does: what is left of the block that the log ends in is always zeroed.
      append_up_to(round_up(end().value + kBatchEntryBytesMin, kBlockBytes));
      append();
      store.trim(busy, store.store().view(busy).end);
      store.settle();
    }
    for (int i = 0; i < 5; ++i) append();
    store.settle();
  }

  LogPosition end() const { return store.store().progress().synced; }
  LogPosition active_file() const { return LogPosition{end().value / kFileBytes * kFileBytes}; }
  Appended append(std::size_t body_bytes = 1000, Durability durability = Durability::kSynced) {
    return store.append(busy, body_bytes, durability);
  }

  bool is_recycled(LogPosition log_file) {
    const auto file = store.files().open(log_file_path(log_file), {});
    Bytes block(kSuperblockBytes);
    if (file.has_error() || *(*file)->read(0, block) != block.size()) return false;
    const auto superblock = read_superblock(block);
    return superblock && superblock->is_recycled && superblock->superblock.file == log_file;
  }

  /// Where in the active file, at a block's begin, the next whole header of the file's earlier life stands, a batch's
  /// entry behind the end at least.
  LogPosition next_old_entry() {
    const auto file = store.files().open(log_file_path(active_file()), {});
    Bytes bytes(static_cast<std::size_t>(kFileBytes));
    protocol::check(*(*file)->read(0, bytes) == bytes.size(), "a recycled file is whole");
    constexpr std::size_t kPositionAt = 16;
    for (std::int64_t at = round_up(end().value % kFileBytes + kBatchEntryBytesMin, kBlockBytes); at < kFileBytes;
         at += kBlockBytes) {
      const ByteView there = ByteView(bytes).subspan(static_cast<std::size_t>(at));
      const LogPosition earlier{protocol::Reader(there.subspan(kPositionAt)).i64()};
      if (read_header(there, small_store_options().new_store.seed, earlier).fault == HeaderFault::kNone)
        return LogPosition{active_file().value + at};
    }
    protocol::check(false, "there are old entries");
    return {};
  }
  /// Appends a batch that ends right where an old entry begins.
  void end_at_an_old_entry() {
    append_up_to(next_old_entry().value);
    store.settle();
  }
  /// One batch, in this file.
  void append_up_to(std::int64_t position) {
    append(static_cast<std::size_t>(position - end().value - kEntryHeaderBytes - 61));
  }

  mutable TestStore store;
  PartitionId busy;
};

}  // namespace braid::storage
