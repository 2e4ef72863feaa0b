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

TEST_F(BlockPreparationTest, WithoutAllocationZerosAreWritten) {
  files_.plan({.operation = Operation::kAllocate, .path_prefix = "", .for_ever = true, .error = EOPNOTSUPP});
  ASSERT_TRUE(allocate_blocks(files_, piece(0, 64 * 1024)).has_value());
  EXPECT_EQ(file(0).size(), 64U * 1024);
  EXPECT_TRUE(has_superblock(file(0), 0));
}

}  // namespace
}  // namespace braid::storage
