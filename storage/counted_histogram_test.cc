#include "storage/counted_histogram.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace braid::storage {
namespace {

TEST(CountedHistogram, PutsEachValueIntoTheFirstBucketThatDoesNotEndBelowIt) {
  for (std::uint64_t value = 0; value < 3000; ++value) {
    CountedHistogram<8> histogram(16);
    histogram.count(value);
    const auto counts = histogram.counts();
    std::size_t expected = 0;
    while (expected < 7 && value > (std::uint64_t{16} << expected)) ++expected;
    for (std::size_t i = 0; i < counts.buckets.size(); ++i)
      ASSERT_EQ(counts.buckets[i], i == expected ? 1U : 0U) << value;
    ASSERT_EQ(counts.sum, value);
  }
}

TEST(CountedHistogram, AddsUp) {
  CountedHistogram<4> histogram(10);
  for (int i = 0; i < 5; ++i) histogram.count(10);
  histogram.count(1000);
  EXPECT_EQ(histogram.counts().buckets[0], 5U);
  EXPECT_EQ(histogram.counts().buckets[3], 1U);
  EXPECT_EQ(histogram.counts().sum, 1050U);
}

}  // namespace
}  // namespace braid::storage
