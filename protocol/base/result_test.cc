#include "protocol/base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace braid::protocol {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return make_error_code(Errc::malformed);
  return number / 2;
}

Result<int> quarter(int number) {
  TRY(const int once, half(number));
  TRY(const int twice, half(once));
  return twice;
}

Result<void> must_be_even(int number) {
  TRY(const int unused, half(number));
  static_cast<void>(unused);
  return ok();
}

Result<void> both_even(int first, int second) {
  TRY_DO(must_be_even(first));
  TRY_DO(must_be_even(second));
  return ok();
}

TEST(Result, TryHandsOnTheValueOrReturnsTheError) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error(), make_error_code(Errc::malformed));
  EXPECT_EQ(quarter(7).error(), make_error_code(Errc::malformed));
}

TEST(Result, TryDoStopsAtTheFirstError) {
  EXPECT_TRUE(both_even(2, 4).has_value());
  EXPECT_TRUE(both_even(1, 4).has_error());
  EXPECT_TRUE(both_even(2, 3).has_error());
}

Result<std::unique_ptr<int>> owned() { return std::make_unique<int>(5); }

Result<int> unwrapped() {
  TRY(const std::unique_ptr<int> number, owned());
  return *number;
}

TEST(Result, TryMovesWhatCannotBeCopied) { EXPECT_EQ(*unwrapped(), 5); }

}  // namespace
}  // namespace braid::protocol
