#include "protocol/base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace braid::protocol {
namespace {

TEST(Arena, HandsOutZeroedItemsThatKeepTheirPlaceWhileItGrows) {
  Arena arena;
  const auto first = arena.array<std::int64_t>(4);
  first[3] = 7;
  for (int i = 0; i < 1000; ++i) {
    const auto more = arena.array<std::int32_t>(100);
    ASSERT_EQ(more.size(), 100U);
    EXPECT_EQ(more[0], 0);
    EXPECT_EQ(more[99], 0);
    more[99] = -1;
  }
  EXPECT_EQ(first[3], 7);
}

TEST(Arena, AlignsEachArrayForItsType) {
  Arena arena;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(arena.array<char>(1).size(), 1U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.array<std::int64_t>(1).data()) % alignof(std::int64_t), 0U);
  }
}

TEST(Arena, RefusesWhatPassesItsBoundAndSaysSo) {
  Arena arena(1024);
  EXPECT_EQ(arena.array<char>(1000).size(), 1000U);
  EXPECT_FALSE(arena.exhausted());
  EXPECT_TRUE(arena.array<char>(25).empty());
  EXPECT_TRUE(arena.exhausted());
  EXPECT_LE(arena.used_bytes(), 1024U);
}

TEST(Arena, RefusesACountWhoseBytesWouldOverflow) {
  Arena arena;
  EXPECT_TRUE(arena.array<std::int64_t>(SIZE_MAX / 4).empty());
  EXPECT_TRUE(arena.exhausted());
  EXPECT_EQ(arena.used_bytes(), 0U);
}

TEST(Arena, AnEmptyArrayIsNoExhaustion) {
  Arena arena(0);
  EXPECT_TRUE(arena.array<char>(0).empty());
  EXPECT_FALSE(arena.exhausted());
}

TEST(Arena, ResetStartsOverOnTheSameMemory) {
  Arena arena;
  char* const before = arena.array<char>(100).data();
  arena.reset();
  EXPECT_EQ(arena.used_bytes(), 0U);
  EXPECT_EQ(arena.array<char>(100).data(), before);
}

TEST(Arena, ResetClearsExhaustion) {
  Arena arena(10);
  EXPECT_TRUE(arena.array<char>(11).empty());
  arena.reset();
  EXPECT_FALSE(arena.exhausted());
  EXPECT_EQ(arena.array<char>(10).size(), 10U);
}

TEST(Arena, CopiesTextAndBytes) {
  Arena arena;
  std::string original = "topic";
  const std::string_view kept = arena.copy(original);
  original = "other";
  EXPECT_EQ(kept, "topic");
  EXPECT_TRUE(arena.copy(std::string_view()).empty());
}

}  // namespace
}  // namespace braid::protocol
