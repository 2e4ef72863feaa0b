#include "protocol/base/check.h"

#include <gtest/gtest.h>

namespace braid::protocol {
namespace {

TEST(CheckDeathTest, EndsTheProcessWithThePlaceAndTheReason) {
  EXPECT_DEATH(check(false, "end below start"), "check_test.cc.*end below start");
}

}  // namespace
}  // namespace braid::protocol
