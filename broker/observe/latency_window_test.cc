#include "broker/observe/latency_window.h"

#include <gtest/gtest.h>

namespace braid::broker {
namespace {

using protocol::Instant;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;

constexpr Instant kStart{std::chrono::hours(1)};

LatencySum sum_of(const LatencyWindow& window, Instant now) {
  LatencySum sum;
  window.add_to(sum, now);
  return sum;
}

TEST(LatencyBuckets, HoldEveryDurationAndEndAtMostAQuarterAboveIt) {
  for (std::int64_t us = 0; us < 2'000'000; us += 1 + us / 50) {
    const std::size_t bucket = latency_bucket(microseconds(us));
    ASSERT_LT(bucket, kLatencyBuckets);
    ASSERT_GT(latency_bucket_end(bucket).count(), us);
    ASSERT_LE(latency_bucket_end(bucket).count(), us + us / 4 + 1) << us;
    if (bucket > 0) {
      ASSERT_LE(latency_bucket_end(bucket - 1).count(), us);
    }
  }
  EXPECT_EQ(latency_bucket(nanoseconds(-5)), 0U);
  EXPECT_EQ(latency_bucket(std::chrono::hours(24)), kLatencyBuckets - 1);
}

TEST(LatencyWindow, TellsQuantiles) {
  LatencyWindow window;
  for (int i = 1; i <= 1000; ++i) window.record(milliseconds(i), kStart);
  const LatencySum sum = sum_of(window, kStart);
  EXPECT_EQ(sum.count, 1000U);
  EXPECT_GE(sum.quantile_ms(0.5), 500);
  EXPECT_LE(sum.quantile_ms(0.5), 500 * 1.25);
  EXPECT_GE(sum.quantile_ms(0.999), 999);
  EXPECT_LE(sum.quantile_ms(0.999), 999 * 1.25);
}

TEST(LatencyWindow, ForgetsWhatIsOlderThanTwoMinutesAndCountsItStill) {
  LatencyWindow window;
  window.record(milliseconds(100), kStart);
  EXPECT_GT(sum_of(window, kStart + milliseconds(119'000)).quantile_ms(1), 99);
  EXPECT_EQ(sum_of(window, kStart + minutes(2)).quantile_ms(1), 0) << "nobody recorded since";
  EXPECT_EQ(sum_of(window, kStart + minutes(2)).count, 1U);

  window.record(milliseconds(1), kStart + minutes(1));
  EXPECT_GT(sum_of(window, kStart + minutes(1)).quantile_ms(1), 99) << "the window before counts";
  window.record(milliseconds(1), kStart + minutes(2));
  EXPECT_LT(sum_of(window, kStart + minutes(2)).quantile_ms(1), 2);
  window.record(milliseconds(1), kStart + minutes(10));
  EXPECT_EQ(sum_of(window, kStart + minutes(10)).count, 4U);
}

TEST(LatencyWindow, IsEmptyAtFirst) {
  const LatencyWindow window;
  EXPECT_EQ(sum_of(window, kStart).quantile_ms(0.5), 0);
}

}  // namespace
}  // namespace braid::broker
