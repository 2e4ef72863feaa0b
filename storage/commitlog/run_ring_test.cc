#include "storage/commitlog/run_ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace braid::storage {
namespace {

QueueRun run_from(std::int64_t first) {
  return {.first = Offset{first}, .position = LogPosition{8 * first}, .size_bytes = 8};
}

TEST(RunRing, OwnsNothingUntilTheFirstRunAndAfterRelease) {
  RunRing ring;
  EXPECT_EQ(ring.memory_bytes(), 0U);
  ring.push_back(run_from(0));
  EXPECT_EQ(ring.memory_bytes(), sizeof(QueueRun));
  ring.release();
  EXPECT_EQ(ring.size(), 1U) << "what is in use stays";
  ring.pop_front();
  EXPECT_EQ(ring.memory_bytes(), sizeof(QueueRun)) << "a busy queue keeps its memory";
  ring.release();
  EXPECT_EQ(ring.memory_bytes(), 0U);
}

TEST(RunRing, BehavesLikeADequeWhereverItWrapsAround) {
  std::mt19937_64 random(20);
  RunRing ring;
  std::deque<QueueRun> model;
  std::int64_t next = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto choice = random() % 8;
    if (choice < 4) {
      ring.push_back(run_from(next));
      model.push_back(run_from(next));
      next += static_cast<std::int64_t>(1 + random() % 3);
    } else if (!model.empty() && choice < 6) {
      ring.pop_front();
      model.pop_front();
    } else if (!model.empty() && choice == 6) {
      ring.pop_back();
      model.pop_back();
    } else if (random() % 50 == 0) {
      ring.clear();
      ring.release();
      model.clear();
    }
    ASSERT_EQ(ring.size(), model.size());
    if (model.empty()) continue;
    ASSERT_EQ(ring.front(), model.front());
    ASSERT_EQ(ring.back(), model.back());
    const auto index = static_cast<std::uint32_t>(random() % model.size());
    ASSERT_EQ(ring[index], model[index]);
    // The run's own first offset, and the last one before the next run, are found in it.
    ASSERT_EQ(ring.find(model[index].first), index);
    const std::int64_t after = index + 1 < model.size() ? model[index + 1].first.value : next;
    ASSERT_EQ(ring.find(Offset{after - 1}), index);
  }
}

TEST(RunRing, RefusesWhatWouldBreakItsOrder) {
  RunRing ring;
  EXPECT_DEATH(ring.pop_front(), "a run to take");
  ring.push_back(run_from(5));
  EXPECT_DEATH(ring.push_back(run_from(5)), "runs rise");
  EXPECT_DEATH(ring.find(Offset{4}), "reaches back");
}

}  // namespace
}  // namespace braid::storage
