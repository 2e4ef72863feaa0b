#pragma once

#include <cstdint>

#include "protocol/base/result.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/superblock.h"
#include "storage/env/file_system.h"
#include "storage/types.h"

namespace braid::storage {

/// Blocks that the log will be written into: zeros on the disk, synced, so that a write into them changes no metadata
/// and finds no full disk. Plain data: decided on the lane, done by maintenance.
struct BlockPreparation {
  LogPosition begin;  // a block; a file's first byte when the file is to be made
  LogPosition end;    // in the same file, or its end
  Superblock superblock;
  std::uint32_t seed = 0;
};

/// The next piece at or behind `prepared`.
BlockPreparation next_preparation(LogGeometry geometry, LogPosition prepared, std::int64_t piece_bytes,
                                  const protocol::Uuid& store, std::uint32_t seed);

/// no_space_on_device leaves the blocks as they were for whoever looks at sizes: it may be tried again. Any other error
/// is final.
Result<void> prepare_blocks(FileSystem& files, const BlockPreparation& preparation);

}  // namespace braid::storage
