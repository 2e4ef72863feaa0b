#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace braid::storage {

/// How often values fell where: the end of bucket i is first_end << i, inclusive, and the last bucket has no end. One
/// thread counts, without waiting or allocating; any thread reads, and may miss what is counted meanwhile.
template <std::size_t kBuckets>
class CountedHistogram {
 public:
  struct Counts {
    std::uint64_t first_end = 1;
    std::array<std::uint64_t, kBuckets> buckets{};
    std::uint64_t sum = 0;  // of all values
  };

  explicit CountedHistogram(std::uint64_t first_end) : first_end_(first_end) {}

  void count(std::uint64_t value) {
    const std::uint64_t above_first = value == 0 ? 0 : (value - 1) / first_end_;
    add(buckets_[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(above_first)), kBuckets - 1)], 1);
    add(sum_, value);
  }
  Counts counts() const {
    Counts counts{first_end_, {}, sum_.load(std::memory_order_relaxed)};
    for (std::size_t i = 0; i < kBuckets; ++i) counts.buckets[i] = buckets_[i].load(std::memory_order_relaxed);
    return counts;
  }

 private:
  /// Not an atomic addition: nobody else writes.
  static void add(std::atomic<std::uint64_t>& number, std::uint64_t more) {
    number.store(number.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  const std::uint64_t first_end_;
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> sum_{0};
};

/// 16 us to 8 s.
using DurationHistogram = CountedHistogram<21>;
inline constexpr std::uint64_t kDurationFirstEndUs = 16;
/// 1 KiB to 512 MiB.
using SizeHistogram = CountedHistogram<21>;
inline constexpr std::uint64_t kSizeFirstEndBytes = 1024;

}  // namespace braid::storage
