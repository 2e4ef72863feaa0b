#pragma once

#include <cstdint>

#include "protocol/base/result.h"
#include "storage/commitlog/log_geometry.h"
#include "storage/commitlog/superblock.h"
#include "storage/env/file_system.h"
#include "storage/types.h"

namespace braid::storage {

/// Blocks that the log will be written into. Plain data: decided on the lane, done by maintenance.
struct BlockPreparation {
  LogPosition begin;  // a block; a file's first byte when the file is to be made
  LogPosition end;    // in the same file, or its end
  Superblock superblock;
  std::uint32_t seed = 0;
};

/// The next piece at or behind `prepared`.
BlockPreparation next_preparation(LogGeometry geometry, LogPosition prepared, std::int64_t piece_bytes,
                                  const protocol::Uuid& store, std::uint32_t seed);

/// Takes the blocks' space, so that a write there finds no full disk and no end of the file; they read as zeros. A file
/// that is made has its superblock, and it and its name are synced. no_space_on_device: a part may be taken, and it may
/// be tried again. Any other error is final.
Result<void> allocate_blocks(FileSystem& files, const BlockPreparation& preparation);

/// Writes zeros into blocks that are allocated and that nobody else writes: a write into them, and its sync, then
/// change no metadata any more. Errors as above.
Result<void> zero_blocks(FileSystem& files, const BlockPreparation& preparation);

/// Makes the freed file `pooled` the log's next, which `whole` describes. Its blocks keep what they hold: a write into
/// them changes no metadata, and nothing of it is an entry in its new place. Durable when it returns, and at each step
/// the file is either the pool's or the log's. Errors as above.
Result<void> reuse_file(FileSystem& files, LogPosition pooled, const BlockPreparation& whole);

/// Both, and synced.
Result<void> prepare_blocks(FileSystem& files, const BlockPreparation& preparation);

}  // namespace braid::storage
