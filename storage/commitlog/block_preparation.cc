#include "storage/commitlog/block_preparation.h"

#include <algorithm>
#include <array>

#include "storage/env/aligned_buffer.h"

namespace braid::storage {

BlockPreparation next_preparation(LogGeometry geometry, LogPosition prepared, std::int64_t piece_bytes,
                                  const protocol::Uuid& store, std::uint32_t seed) {
  const LogPosition file_end = geometry.next_file(prepared);
  const LogPosition end{std::min(round_up(prepared.value + 1, piece_bytes), file_end.value)};
  return {prepared, end, {store, geometry.file_of(prepared), geometry.file_bytes}, seed};
}

Result<void> prepare_blocks(FileSystem& files, const BlockPreparation& preparation) {
  const bool makes_file = preparation.begin == preparation.superblock.file;
  const OpenOptions options{.mode = makes_file ? OpenMode::kCreate : OpenMode::kWrite, .direct = true};
  TRY(const std::unique_ptr<File> file, files.open(log_file_path(preparation.superblock.file), options));
  TRY(AlignedBuffer piece,
      AlignedBuffer::allocate(static_cast<std::size_t>(preparation.end.value - preparation.begin.value)));
  if (makes_file) std::ranges::copy(encode(preparation.superblock, preparation.seed), piece.bytes().begin());
  const auto at = static_cast<std::uint64_t>(preparation.begin.value - preparation.superblock.file.value);
  TRY_DO(file->write(at, piece.bytes()));
  TRY_DO(file->sync());
  return makes_file ? files.sync_directory("commitlog") : protocol::ok();
}

}  // namespace braid::storage
