#include "broker/runtime/recycled_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "broker/limits.h"
#include "protocol/base/test_allocations.h"

namespace braid::broker {
namespace {

TEST(RecycledMemory, AsksTheHeapForNothingOnceItHasWarmedUp) {
  if (!protocol::AllocationCount::available()) GTEST_SKIP() << "a sanitizer owns the allocator";
  const auto round = [] {
    std::vector<void*> blocks;
    blocks.reserve(20);
    for (std::size_t bytes = 1; bytes <= kRecycledBlockBytesMax; bytes = bytes * 2 + 1) {
      blocks.push_back(take_recycled(bytes));
      std::memset(blocks.back(), 1, bytes);
    }
    std::size_t bytes = 1;
    for (void* const block : blocks) {
      give_recycled(block, bytes);
      bytes = bytes * 2 + 1;
    }
  };
  round();
  const protocol::AllocationCount counted;
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(counted.allocations(), 100U) << "the vector's alone";
}

TEST(RecycledMemory, KeepsNoMoreThanItsBound) {
  std::vector<void*> blocks;
  const std::size_t count = 2 * kRecycledBytesMax / kRecycledBlockBytesMax;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(take_recycled(kRecycledBlockBytesMax));
  const protocol::AllocationCount counted;
  for (void* const block : blocks) give_recycled(block, kRecycledBlockBytesMax);
  std::size_t again = 0;
  for (void*& block : blocks) {
    const std::size_t before = counted.allocations();
    block = take_recycled(kRecycledBlockBytesMax);
    if (counted.allocations() == before) ++again;
  }
  for (void* const block : blocks) give_recycled(block, kRecycledBlockBytesMax);
  if (protocol::AllocationCount::available()) {
    EXPECT_LE(again, kRecycledBytesMax / kRecycledBlockBytesMax);
    EXPECT_GT(again, 0U);
  }
}

TEST(RecycledMemory, MayBeGivenBackOnAnotherThread) {
  std::vector<int, RecyclingAllocator<int>> numbers(1000, 7);
  std::thread([moved = std::move(numbers)] { EXPECT_EQ(moved[999], 7); }).join();
  std::vector<int, RecyclingAllocator<int>> others(1000, 8);
  EXPECT_EQ(others[0], 8);
}

}  // namespace
}  // namespace braid::broker
