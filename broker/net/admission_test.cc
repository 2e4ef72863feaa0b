#include "broker/net/admission.h"

#include <gtest/gtest.h>

namespace braid::broker {
namespace {

TEST(Admission, CountsInAllAndByAddress) {
  Admission admission(ConnectionLimits{3, 2, {{"c", 0}}});
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

TEST(Admission, ForgetsAnAddressWithoutConnections) {
  Admission admission(ConnectionLimits{10, 1, {}});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(admission.admit("a"));
    admission.release("a");
  }
  EXPECT_EQ(admission.total(), 0);
  EXPECT_EQ(admission.address_count(), 0U);
}

}  // namespace
}  // namespace braid::broker
