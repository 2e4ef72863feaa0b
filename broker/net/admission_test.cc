#include "broker/net/admission.h"

#include <gtest/gtest.h>

namespace braid::broker {
namespace {

TEST(Admission, CountsInAllAndByAddress) {
  Admission admission(ConnectionLimits{.total_max = 3, .per_address_max = 2, .per_address_overrides = {{"c", 0}}});
  EXPECT_TRUE(admission.admit("a"));
  EXPECT_TRUE(admission.admit("a"));
  EXPECT_FALSE(admission.admit("a")) << "two are the maximum of an address";
  EXPECT_FALSE(admission.admit("c")) << "this address has a limit of its own";
  EXPECT_TRUE(admission.has_room());
  EXPECT_TRUE(admission.admit("b"));
  EXPECT_FALSE(admission.has_room());
  admission.release("a");
  EXPECT_TRUE(admission.has_room());
  EXPECT_TRUE(admission.admit("a"));
  EXPECT_EQ(admission.total(), 3);
}

TEST(Admission, LetsASecondsWorthComeAtOnceAndThenOneAfterTheOther) {
  using std::chrono::milliseconds;
  Admission admission(
      ConnectionLimits{.total_max = 1000, .per_address_max = 1000, .rate_max = 10, .per_address_overrides = {}});
  const protocol::Instant start{std::chrono::hours(1)};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(admission.accepted(start).count(), 0) << i;
  EXPECT_EQ(admission.accepted(start), milliseconds(100));
  EXPECT_EQ(admission.accepted(start + milliseconds(100)), milliseconds(100));
  EXPECT_EQ(admission.accepted(start + milliseconds(1200)).count(), 0) << "a second without any";
}

TEST(Admission, ForgetsAnAddressWithoutConnections) {
  Admission admission(ConnectionLimits{.total_max = 10, .per_address_max = 1, .per_address_overrides = {}});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(admission.admit("a"));
    admission.release("a");
  }
  EXPECT_EQ(admission.total(), 0);
  EXPECT_EQ(admission.address_count(), 0U);
}

}  // namespace
}  // namespace braid::broker
