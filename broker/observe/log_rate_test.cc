#include "broker/observe/log_rate.h"

#include <gtest/gtest.h>

#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

using protocol::kLogBurstLines;

TEST(LogRate, AdmitsABurstAndThenALineASecondThatCountsTheOthers) {
  LogRate rate;
  protocol::Instant now = protocol::Instant{} + std::chrono::hours(1);
  for (std::int64_t i = 0; i < kLogBurstLines; ++i) EXPECT_EQ(rate.admit(now), 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(rate.admit(now), std::nullopt);
  now += std::chrono::milliseconds(1500);
  EXPECT_EQ(rate.admit(now), 5);
  EXPECT_EQ(rate.admit(now), std::nullopt);
  now += std::chrono::hours(1);
  EXPECT_EQ(rate.admit(now), 1);
  for (std::int64_t i = 1; i < kLogBurstLines; ++i) EXPECT_EQ(rate.admit(now), 0);
  EXPECT_EQ(rate.admit(now), std::nullopt) << "silence saves up one burst, not more";
}

}  // namespace
}  // namespace braid::broker
