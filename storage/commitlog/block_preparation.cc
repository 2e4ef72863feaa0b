#include "storage/commitlog/block_preparation.h"

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <vector>

#include "protocol/base/limits.h"
#include "storage/env/aligned_buffer.h"

namespace braid::storage {
namespace {

bool makes_file(const BlockPreparation& preparation) { return preparation.begin == preparation.superblock.file; }

std::uint64_t place(const BlockPreparation& preparation, LogPosition position) {
  return static_cast<std::uint64_t>(position.value - preparation.superblock.file.value);
}

Result<std::unique_ptr<File>> open(FileSystem& files, const BlockPreparation& preparation) {
  const OpenMode mode = makes_file(preparation) ? OpenMode::kCreate : OpenMode::kWrite;
  return files.open(log_file_path(preparation.superblock.file), {.mode = mode, .direct = true});
}

/// Zeros, however many are wanted, from one small piece of memory that is never given back: fresh pages are dear.
ByteView zeros() {
  alignas(kDirectAlignmentBytes) static std::array<std::byte, protocol::kZerosBytes> memory{};
  return memory;
}

Result<void> write_zeros(File& file, const BlockPreparation& preparation) {
  std::array<ByteView, protocol::kGatherPiecesMax> pieces;
  // A superblock that was written with the allocation stays.
  LogPosition at{makes_file(preparation) ? preparation.begin.value + kSuperblockBytes : preparation.begin.value};
  while (at < preparation.end) {
    std::size_t count = 0;
    const std::uint64_t begin = place(preparation, at);
    while (count < pieces.size() && at < preparation.end) {
      const auto left = static_cast<std::size_t>(preparation.end.value - at.value);
      const ByteView piece = zeros().first(std::min(left, zeros().size()));
      pieces[count++] = piece;
      at.value += static_cast<std::int64_t>(piece.size());
    }
    TRY_DO(file.write(begin, std::span(pieces).first(count)));
  }
  return protocol::ok();
}

Result<void> allocate(File& file, const BlockPreparation& preparation) {
  const std::uint64_t begin = place(preparation, preparation.begin);
  const auto done = file.allocate(begin, place(preparation, preparation.end) - begin);
  const bool cannot = done.has_error() && done.error() == boost::system::errc::operation_not_supported;
  return cannot ? write_zeros(file, preparation) : done;
}

/// And syncs the file.
Result<void> write_superblock(File& file, const BlockPreparation& preparation, bool is_recycled) {
  TRY(AlignedBuffer block, AlignedBuffer::allocate(kSuperblockBytes));
  std::ranges::copy(encode(preparation.superblock, preparation.seed, is_recycled), block.bytes().begin());
  TRY_DO(file.write(0, ByteView(block.bytes())));
  return file.sync();
}

}  // namespace

BlockPreparation next_preparation(LogGeometry geometry, LogPosition prepared, std::int64_t piece_bytes,
                                  const protocol::Uuid& store, std::uint32_t seed) {
  const LogPosition file_end = geometry.next_file(prepared);
  const LogPosition end{std::min(round_up(prepared.value + 1, piece_bytes), file_end.value)};
  return {prepared, end, {store, geometry.file_of(prepared), geometry.file_bytes}, seed};
}

Result<void> allocate_blocks(FileSystem& files, const BlockPreparation& preparation) {
  TRY(const std::unique_ptr<File> file, open(files, preparation));
  TRY_DO(allocate(*file, preparation));
  if (!makes_file(preparation)) return protocol::ok();
  TRY_DO(write_superblock(*file, preparation, false));
  return files.sync_directory("commitlog");
}

Result<void> reuse_file(FileSystem& files, LogPosition pooled, const BlockPreparation& whole) {
  {
    TRY(const std::unique_ptr<File> file,
        files.open(pooled_file_path(pooled), {.mode = OpenMode::kWrite, .direct = true}));
    TRY_DO(write_superblock(*file, whole, true));
  }
  TRY_DO(files.rename(pooled_file_path(pooled), log_file_path(whole.superblock.file)));
  return files.sync_directory("commitlog");
}

Result<void> zero_blocks(FileSystem& files, const BlockPreparation& preparation) {
  TRY(const std::unique_ptr<File> file, open(files, preparation));
  return write_zeros(*file, preparation);
}

Result<void> prepare_blocks(FileSystem& files, const BlockPreparation& preparation) {
  TRY_DO(allocate_blocks(files, preparation));
  TRY(const std::unique_ptr<File> file, open(files, preparation));
  TRY_DO(write_zeros(*file, preparation));
  return file->sync();
}

}  // namespace braid::storage
