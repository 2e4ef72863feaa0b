#include "storage/commitlog/identity.h"

#include <gtest/gtest.h>

#include "storage/commitlog/superblock.h"
#include "storage/env/memory_file_system.h"
#include "storage/errors.h"

namespace braid::storage {
namespace {

using protocol::Bytes;

Identity identity(std::int64_t bound) {
  return {.layout = 1,
          .store = protocol::uuid_from_halves(1, 2),
          .cluster = protocol::uuid_from_halves(3, 4),
          .seed = 77,
          .file_bytes = 65536,
          .unsynced_bytes_max = bound};
}

TEST(Identity, IsReadBack) {
  MemoryFileSystem files;
  EXPECT_FALSE(load_identity(files)->has_value());
  ASSERT_TRUE(store_identity(files, identity(5), 1).has_value());
  EXPECT_EQ((**load_identity(files)).identity, identity(5));
}

TEST(Identity, SurvivesTheDamageOfEitherSlotAndWritesItAgain) {
  for (const std::uint64_t slot : {0U, 4096U}) {
    MemoryFileSystem files;
    ASSERT_TRUE(store_identity(files, identity(5), 1).has_value());
    ASSERT_TRUE(files.damage("identity", slot + 30, Bytes(1, std::byte{0xAA})).has_value());
    EXPECT_EQ((**load_identity(files)).identity, identity(5));
    EXPECT_FALSE((**load_identity(files)).repaired);
  }
}

TEST(Identity, RefusesWhenBothSlotsAreDamaged) {
  MemoryFileSystem files;
  ASSERT_TRUE(store_identity(files, identity(5), 1).has_value());
  ASSERT_TRUE(files.damage("identity", 30, Bytes(1, std::byte{0xAA})).has_value());
  ASSERT_TRUE(files.damage("identity", 4096 + 30, Bytes(1, std::byte{0xAA})).has_value());
  EXPECT_EQ(load_identity(files).error(), make_error_code(StorageErrc::no_identity));
}

TEST(Identity, IsTheOldOrTheNewOneAfterAnyPowerCut) {
  for (const CutVariant variant : kCutVariants) {
    for (std::uint64_t calls = 0; calls < 8; ++calls) {
      MemoryFileSystem files;
      ASSERT_TRUE(store_identity(files, identity(5), 1).has_value());
      files.cut_power_after(calls);
      static_cast<void>(store_identity(files, identity(6), 2).has_value());
      files.restart({variant, calls});
      const auto found = load_identity(files);
      ASSERT_TRUE(found.has_value() && found->has_value()) << name_of(variant) << calls;
      EXPECT_TRUE((**found).identity == identity(5) || (**found).identity == identity(6));
      const Identity first = (**found).identity;
      EXPECT_EQ((**load_identity(files)).identity, first);
    }
  }
}

TEST(Superblock, IsOursDamagedOrForeign) {
  const Superblock ours{protocol::uuid_from_halves(1, 2), LogPosition{65536}, 65536};
  const Bytes block = encode(ours, 7);
  EXPECT_EQ(judge_superblock(block, 7, ours), SuperblockState::kOurs);
  Superblock other = ours;
  other.store = protocol::uuid_from_halves(9, 9);
  EXPECT_EQ(judge_superblock(block, 7, other), SuperblockState::kForeign);
  other = ours;
  other.file = LogPosition{0};
  EXPECT_EQ(judge_superblock(block, 7, other), SuperblockState::kDamaged);
  for (std::size_t at = 0; at < 64; ++at) {
    Bytes damaged = block;
    damaged[at] ^= std::byte{4};
    EXPECT_EQ(judge_superblock(damaged, 7, ours), SuperblockState::kDamaged) << at;
  }
}

}  // namespace
}  // namespace braid::storage
