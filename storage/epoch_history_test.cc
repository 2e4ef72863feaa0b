#include "storage/epoch_history.h"

#include <gtest/gtest.h>

#include <vector>

namespace braid::storage {
namespace {

using Starts = std::vector<EpochStart>;

EpochStart at(std::int32_t epoch, std::int64_t start) { return {LeaderEpoch{epoch}, Offset{start}}; }

Starts of(const EpochHistory& history) { return {history.starts().begin(), history.starts().end()}; }

EpochHistory three() {
  EpochHistory history;
  history.begin(LeaderEpoch{1}, Offset{0});
  history.begin(LeaderEpoch{4}, Offset{10});
  history.begin(LeaderEpoch{5}, Offset{20});
  return history;
}

TEST(EpochHistory, RemembersWhereEachEpochBegan) { EXPECT_EQ(of(three()), (Starts{at(1, 0), at(4, 10), at(5, 20)})); }

TEST(EpochHistory, TakesTheSameEpochAgainAsNoNews) {
  EpochHistory history = three();
  history.begin(LeaderEpoch{5}, Offset{25});
  EXPECT_EQ(of(history), of(three()));
}

TEST(EpochHistory, ForgetsAnEpochWithoutRecords) {
  EpochHistory history = three();
  history.begin(LeaderEpoch{6}, Offset{20});
  EXPECT_EQ(of(history), (Starts{at(1, 0), at(4, 10), at(6, 20)}));
}

TEST(EpochHistory, LosesTheEpochsThatBeganBehindACut) {
  EpochHistory history = three();
  history.truncate(Offset{20});
  EXPECT_EQ(of(history), (Starts{at(1, 0), at(4, 10)}));
  history.truncate(Offset{5});
  EXPECT_EQ(of(history), (Starts{at(1, 0)}));
  EXPECT_EQ(history.last(), LeaderEpoch{1});
}

TEST(EpochHistory, BeginsAtTheLogStart) {
  EpochHistory history = three();
  history.trim(Offset{15});
  EXPECT_EQ(of(history), (Starts{at(4, 15), at(5, 20)}));
  history.trim(Offset{40});
  EXPECT_EQ(of(history), (Starts{at(5, 40)}));
}

TEST(EpochHistory, StartsWithoutAnEpoch) {
  EpochHistory history;
  history.trim(Offset{3});
  history.truncate(Offset{0});
  EXPECT_EQ(history.last(), LeaderEpoch{-1});
}

}  // namespace
}  // namespace braid::storage
