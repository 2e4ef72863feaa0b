#include "storage/commitlog/block_preparation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "storage/commitlog/store_chores.h"
#include "storage/env/memory_file_system.h"

namespace braid::storage {
namespace {

constexpr LogGeometry kGeometry{256 * 1024};
constexpr std::uint32_t kSeed = 7;
const protocol::Uuid kStore = protocol::uuid_from_halves(1, 2);

class BlockPreparationTest : public testing::Test {
 protected:
  BlockPreparationTest() {
    EXPECT_TRUE(files_.make_directory("commitlog").has_value());
    EXPECT_TRUE(files_.sync_directory("").has_value());
  }

  BlockPreparation piece(std::int64_t begin, std::int64_t bytes) {
    BlockPreparation all = next_preparation(kGeometry, LogPosition{begin}, kGeometry.file_bytes, kStore, kSeed);
    all.end = LogPosition{begin + bytes};
    return all;
  }
  Bytes file(std::int64_t begin) {
    const auto opened = files_.open(log_file_path(LogPosition{begin}), {});
    if (opened.has_error()) return Bytes(kSuperblockBytes);  // which no check takes for one of ours
    Bytes bytes(static_cast<std::size_t>(*(*opened)->size()));
    EXPECT_EQ(*(*opened)->read(0, bytes), bytes.size());
    return bytes;
  }
  bool has_superblock(const Bytes& bytes, std::int64_t begin) {
    const Superblock expected{kStore, LogPosition{begin}, kGeometry.file_bytes};
    return judge_superblock(ByteView(bytes).first(kSuperblockBytes), kSeed, expected) == SuperblockState::kOurs;
  }
  static bool is_zero(ByteView bytes) {
    return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
  }

  MemoryFileSystem files_;
};

TEST_F(BlockPreparationTest, AnAllocatedFileHasItsSizeZerosAndADurableSuperblock) {
  ASSERT_TRUE(allocate_blocks(files_, piece(0, 64 * 1024)).has_value());
  const Bytes bytes = file(0);
  ASSERT_EQ(bytes.size(), 64U * 1024);
  EXPECT_TRUE(has_superblock(bytes, 0));
  EXPECT_TRUE(is_zero(ByteView(bytes).subspan(kSuperblockBytes)));
  files_.restart({CutVariant::kDropUnsynced, 0});
  EXPECT_TRUE(has_superblock(file(0), 0));
}

TEST_F(BlockPreparationTest, ZeroingTouchesNothingOutsideItsPieceNorTheSuperblock) {
  ASSERT_TRUE(allocate_blocks(files_, piece(0, 256 * 1024)).has_value());
  {
    const auto opened = files_.open(log_file_path(LogPosition{0}), {.mode = OpenMode::kWrite});
    const Bytes ones(252 * 1024, std::byte{1});
    ASSERT_TRUE((*opened)->write(4096, ByteView(ones)).has_value());
  }
  ASSERT_TRUE(zero_blocks(files_, piece(0, 64 * 1024)).has_value());
  ASSERT_TRUE(zero_blocks(files_, piece(128 * 1024, 80 * 1024)).has_value());
  const Bytes bytes = file(0);
  EXPECT_TRUE(has_superblock(bytes, 0));
  for (std::size_t at = kSuperblockBytes; at < bytes.size(); at += 4096) {
    const bool zeroed = at < 64 * 1024 || (at >= 128 * 1024 && at < 208 * 1024);
    EXPECT_EQ(bytes[at] == std::byte{0} && bytes[at + 4095] == std::byte{0}, zeroed) << at;
  }
}

TEST_F(BlockPreparationTest, WhereTheLargePieceDoesNotFitTheSmallOneIsTaken) {
  files_.set_capacity(100 * 1024);
  AllocateBlocks chore(files_, piece(0, 256 * 1024), piece(0, 32 * 1024));
  chore.run();
  EXPECT_TRUE(chore.outcome().has_value());
  EXPECT_EQ(chore.end(), LogPosition{32 * 1024});
  AllocateBlocks none(files_, piece(32 * 1024, 128 * 1024), piece(32 * 1024, 96 * 1024));
  none.run();
  EXPECT_TRUE(none.found_disk_full());
}

TEST_F(BlockPreparationTest, AFreedFileIsTheLogsNextOrThePoolsAtEachCall) {
  for (std::uint64_t changes = 0; changes < 6; ++changes) {
    for (const CutVariant variant : kCutVariants) {
      MemoryFileSystem files;
      ASSERT_TRUE(files.make_directory("commitlog").has_value());
      ASSERT_TRUE(prepare_blocks(files, piece(0, kGeometry.file_bytes)).has_value());
      ASSERT_TRUE(files.rename(log_file_path(LogPosition{0}), pooled_file_path(LogPosition{0})).has_value());
      ASSERT_TRUE(files.sync_all().has_value());
      files.cut_power_after(changes);
      const bool done =
          reuse_file(files, LogPosition{0}, piece(kGeometry.file_bytes, kGeometry.file_bytes)).has_value();
      files.restart({variant, changes});
      const auto names = *files.list("commitlog");
      ASSERT_EQ(names.size(), 1U);
      if (is_pooled_file(names[0].name)) {
        EXPECT_FALSE(done);
        continue;
      }
      ASSERT_EQ(names[0].name, "00000000000000262144");
      Bytes block(kSuperblockBytes);
      ASSERT_EQ(*(*files.open("commitlog/" + names[0].name, {}))->read(0, block), block.size());
      EXPECT_TRUE(has_superblock(block, kGeometry.file_bytes));
      EXPECT_TRUE(read_superblock(block)->is_recycled);
    }
  }
}

TEST_F(BlockPreparationTest, OfFreedFilesOnlyWholeOnesThatNobodyReadsAreKept) {
  OpenFiles open_files(files_, 4);
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(
        prepare_blocks(files_, piece(i * kGeometry.file_bytes, i == 0 ? 64 * 1024 : kGeometry.file_bytes)).has_value());
  const auto at = [](int i) { return LogPosition{i * kGeometry.file_bytes}; };
  const auto held = open_files.open_to_read(log_file_path(at(1)));
  RemoveFiles chore(files_, open_files,
                    {.log_files = {at(0), at(1), at(2), at(3)}, .file_bytes = kGeometry.file_bytes, .pooled_max = 1});
  chore.run();
  ASSERT_TRUE(chore.outcome().has_value());
  EXPECT_EQ(chore.pooled(), std::vector{at(2)});
  const auto names = *files_.list("commitlog");
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ("commitlog/" + names[0].name, pooled_file_path(at(2)));
}

TEST_F(BlockPreparationTest, WithoutAllocationZerosAreWritten) {
  files_.plan({.operation = Operation::kAllocate, .path_prefix = "", .for_ever = true, .error = EOPNOTSUPP});
  ASSERT_TRUE(allocate_blocks(files_, piece(0, 64 * 1024)).has_value());
  EXPECT_EQ(file(0).size(), 64U * 1024);
  EXPECT_TRUE(has_superblock(file(0), 0));
}

}  // namespace
}  // namespace braid::storage
