#pragma once

#include <cstdint>
#include <memory>

#include "storage/env/aligned_buffer.h"
#include "storage/env/file_system.h"

namespace braid::storage {

/// The floor: a file of blocks that were written before, and nothing but system calls on it. One thread but where it
/// says otherwise.
class RawDisk {
 public:
  /// Prepares `bytes`, a multiple of 1 MiB, in a file that it removes in the end.
  RawDisk(FileSystem& files, std::uint64_t bytes);
  ~RawDisk();
  RawDisk(const RawDisk&) = delete;
  RawDisk& operator=(const RawDisk&) = delete;

  /// MiB/s of direct writes of `group_bytes`, up to a MiB a call and rounded up to blocks, one behind the other; each
  /// group synced, or none.
  double write_direct(std::uint64_t group_bytes, bool syncs, std::uint64_t total_bytes);
  /// The same behind a copy into memory by one thread, which a second one writes: each wakes the other once a group.
  double write_handed_over(std::uint64_t group_bytes, bool syncs, std::uint64_t total_bytes);
  double write_buffered(std::uint64_t group_bytes, std::uint64_t total_bytes);
  /// Seconds of one fdatasync behind a direct write of a block.
  double sync_seconds(int times);
  /// MiB/s of reads one behind the other.
  double read_through(std::uint64_t piece_bytes);

 private:
  void write_group(std::uint64_t group, bool syncs);

  FileSystem& files_;
  const std::uint64_t bytes_;
  std::unique_ptr<File> direct_;
  std::unique_ptr<File> buffered_;
  AlignedBuffer buffer_;
  std::uint64_t at_ = 0;
};

}  // namespace braid::storage
