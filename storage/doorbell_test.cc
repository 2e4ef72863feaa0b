#include "storage/doorbell.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace braid::storage {
namespace {

using namespace std::chrono_literals;
using protocol::Instant;

Instant now() { return std::chrono::steady_clock::now(); }

TEST(Doorbell, ARingBetweenLookAndSleepKeepsTheSleeperAwake) {
  Doorbell bell;
  bell.look();
  EXPECT_FALSE(bell.ring()) << "nobody slept";
  EXPECT_FALSE(bell.ring());
  bell.sleep(std::nullopt);  // would never return
  bell.look();
  EXPECT_FALSE(bell.ring());
  bell.sleep(now() + 1h);
}

TEST(Doorbell, WithoutARingTheSleepEndsAtItsTime) {
  Doorbell bell;
  const Instant until = now() + 5ms;
  bell.look();
  bell.sleep(until);
  EXPECT_GE(now(), until);
  EXPECT_TRUE(bell.ring()) << "one that did not look again counts as asleep: rather a ring too many";
}

/// A lost ring would leave both asleep, and the test would not end.
TEST(Doorbell, NoRingIsLostBetweenTwoThreads) {
  constexpr int kRounds = 20'000;
  Doorbell here;
  Doorbell there;
  std::atomic<int> ball{0};  // even: here, odd: there
  std::thread other([&] {
    while (ball.load() < kRounds) {
      there.look();
      if (ball.load() % 2 == 1) {
        ball.fetch_add(1);
        here.ring();
      } else if (ball.load() < kRounds) {
        there.sleep(std::nullopt);
      }
    }
  });
  while (ball.load() < kRounds) {
    here.look();
    if (ball.load() % 2 == 0) {
      ball.fetch_add(1);
      there.ring();
    } else {
      here.sleep(std::nullopt);
    }
  }
  there.ring();
  other.join();
  EXPECT_GE(ball.load(), kRounds);
}

}  // namespace
}  // namespace braid::storage
