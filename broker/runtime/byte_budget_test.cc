#include "broker/runtime/byte_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace braid::broker {
namespace {

class ByteBudgetTest : public testing::Test {
 protected:
  /// Waits for so many; `order_` says when it was granted them.
  void wait(char name, std::size_t bytes) {
    budget_.wait(bytes, 0, loop_, [this, name] { order_ += name; });
  }
  void turn() {
    loop_.restart();
    loop_.run();
  }

  boost::asio::io_context loop_;
  ByteBudget budget_{100};
  std::string order_;
};

TEST_F(ByteBudgetTest, GivesNoMoreThanThereIs) {
  EXPECT_TRUE(budget_.try_take(60));
  EXPECT_FALSE(budget_.try_take(41));
  EXPECT_TRUE(budget_.try_take(40));
  EXPECT_FALSE(budget_.try_take(0)) << "none is left";
  budget_.give_back(1);
  EXPECT_TRUE(budget_.try_take(0));
  EXPECT_EQ(budget_.take_up_to(50), 1U);
  EXPECT_EQ(budget_.take_up_to(50), 0U);
  EXPECT_EQ(budget_.used_bytes(), 100U);
}

TEST_F(ByteBudgetTest, ServesThoseWhoWaitInTheirOrderAndNobodyBeforeThem) {
  ASSERT_TRUE(budget_.try_take(90));
  wait('a', 50);
  wait('b', 5);
  turn();
  EXPECT_EQ(order_, "") << "b fits, and waits behind a";
  EXPECT_FALSE(budget_.try_take(1)) << "others wait";
  EXPECT_EQ(budget_.take_up_to(1), 0U);
  budget_.give_back(90);
  turn();
  EXPECT_EQ(order_, "ab");
  EXPECT_EQ(budget_.used_bytes(), 55U);
  EXPECT_TRUE(budget_.try_take(45));
}

TEST_F(ByteBudgetTest, GivesMoreThanThereIsToOneWhoNeedsItWhenItIsAlone) {
  ASSERT_TRUE(budget_.try_take(1));
  wait('a', 500);
  wait('b', 1);
  turn();
  EXPECT_EQ(order_, "");
  budget_.give_back(1);
  turn();
  EXPECT_EQ(order_, "a");
  budget_.give_back(500);
  turn();
  EXPECT_EQ(order_, "ab");
}

TEST_F(ByteBudgetTest, CountsWhatIsForcedAboveItsLimit) {
  budget_.force(150);
  wait('a', 10);
  budget_.give_back(55);
  turn();
  EXPECT_EQ(order_, "");
  budget_.give_back(5);
  turn();
  EXPECT_EQ(order_, "a");
}

TEST_F(ByteBudgetTest, LetsTheFirstInLineOnWhenTheLineHoldsAllThatIsUsed) {
  budget_.force(120);
  ASSERT_FALSE(budget_.try_take(10));
  budget_.wait(10, 60, loop_, [this] { order_ += 'a'; });
  turn();
  EXPECT_EQ(order_, "") << "somebody else holds 60, and may give them back";
  budget_.wait(10, 60, loop_, [this] { order_ += 'b'; });
  turn();
  EXPECT_EQ(order_, "a") << "a is on its way and will give back";
  budget_.give_back(70);
  turn();
  EXPECT_EQ(order_, "ab");
}

TEST_F(ByteBudgetTest, GrantsNothingOnceWaitingHasEnded) {
  budget_.force(100);
  wait('a', 10);
  budget_.end_waiting();
  budget_.give_back(100);
  turn();
  EXPECT_EQ(order_, "");
  EXPECT_FALSE(budget_.is_short());
}

TEST_F(ByteBudgetTest, SharesGiveBackAtTheirEnd) {
  {
    ASSERT_TRUE(budget_.try_take(30));
    ByteShare share(budget_, 30);
    share.become(50);
    ByteShare other(std::move(share));
    EXPECT_EQ(budget_.used_bytes(), 50U);
    other.become(10);
    EXPECT_EQ(budget_.used_bytes(), 10U);
    ByteShare empty;
    empty.become(5);
    other = std::move(empty);
    EXPECT_EQ(budget_.used_bytes(), 0U);
  }
  EXPECT_EQ(budget_.used_bytes(), 0U);
}

// Several loops take, wait and give back at random: in the end all is given back, and nobody was left waiting.
TEST(ByteBudgetThreads, LoseNoByteAndNobodyWhoWaits) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  ByteBudget budget(1000);
  std::atomic<int> served{0};
  std::vector<std::unique_ptr<boost::asio::io_context>> loops;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) loops.push_back(std::make_unique<boost::asio::io_context>());
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(static_cast<unsigned>(seed) + static_cast<unsigned>(i));
      auto work = boost::asio::make_work_guard(*loops[static_cast<std::size_t>(i)]);
      int mine = 0;
      for (int round = 0; round < kRounds; ++round) {
        const std::size_t bytes = 1 + random() % 600;
        if (budget.try_take(bytes)) {
          budget.give_back(bytes);
          ++mine;
        } else {
          budget.wait(bytes, 0, *loops[static_cast<std::size_t>(i)], [&budget, &mine, bytes] {
            budget.give_back(bytes);
            ++mine;
          });
        }
        loops[static_cast<std::size_t>(i)]->poll();
      }
      while (mine < kRounds) loops[static_cast<std::size_t>(i)]->run_one();
      served += mine;
    });
  }
  threads.clear();
  EXPECT_EQ(served.load(), kThreads * kRounds);
  EXPECT_EQ(budget.used_bytes(), 0U);
  EXPECT_FALSE(budget.is_short());
}

}  // namespace
}  // namespace braid::broker
