#include "protocol/base/strong_int.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <unordered_set>

namespace braid::protocol {
namespace {

struct AppleTag;
struct PearTag;
using Apples = StrongInt<AppleTag, std::int64_t>;
using Pears = StrongInt<PearTag, std::int64_t>;

TEST(StrongInt, OneKindDoesNotPassForAnother) {
  static_assert(!std::is_convertible_v<Apples, Pears>);
  static_assert(!std::is_convertible_v<std::int64_t, Apples>);
  static_assert(!std::is_constructible_v<Apples, Pears>);
  EXPECT_LT(Apples(1), Apples(2));
  EXPECT_EQ(Apples().value, 0);
}

TEST(StrongInt, IsAKeyOfHashedSets) {
  const std::unordered_set<Apples> seen{Apples(1), Apples(2), Apples(1)};
  EXPECT_EQ(seen.size(), 2U);
}

}  // namespace
}  // namespace braid::protocol
