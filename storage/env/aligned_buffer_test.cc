#include "storage/env/aligned_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace braid::storage {
namespace {

TEST(AlignedBuffer, StartsOnABlockAndIsZero) {
  const AlignedBuffer buffer = *AlignedBuffer::allocate(3 * kDirectAlignmentBytes);
  EXPECT_EQ(buffer.size(), 3 * kDirectAlignmentBytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.bytes().data()) % kDirectAlignmentBytes, 0U);
  EXPECT_TRUE(std::ranges::all_of(buffer.bytes(), [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST(AlignedBuffer, MovesItsMemoryAndLeavesNothing) {
  AlignedBuffer first = *AlignedBuffer::allocate(kDirectAlignmentBytes);
  const std::byte* const memory = first.bytes().data();
  AlignedBuffer second;
  second = std::move(first);
  EXPECT_EQ(second.bytes().data(), memory);
  EXPECT_EQ(first.size(), 0U);  // NOLINT(bugprone-use-after-move): the point of the test
  const AlignedBuffer third(std::move(second));
  EXPECT_EQ(third.bytes().data(), memory);
}

TEST(AlignedBuffer, OfNoBytesIsEmpty) { EXPECT_TRUE(AlignedBuffer::allocate(0)->bytes().empty()); }

TEST(AlignedBuffer, ThatNoMemoryHoldsIsAnError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "not run: a sanitizer ends the process instead";
#endif
  const std::size_t too_much =
      std::numeric_limits<std::size_t>::max() / 4 / kDirectAlignmentBytes * kDirectAlignmentBytes;
  const auto buffer = AlignedBuffer::allocate(too_much);
  ASSERT_TRUE(buffer.has_error());
  EXPECT_EQ(buffer.error(), boost::system::errc::not_enough_memory);
}

TEST(AlignedBufferDeathTest, OfPartsOfABlockIsRefused) {
  EXPECT_DEATH(static_cast<void>(AlignedBuffer::allocate(100)), "whole blocks");
}

}  // namespace
}  // namespace braid::storage
