#include "broker/observe/latency_window.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace braid::broker {
namespace {

constexpr std::chrono::minutes kWindow{1};
constexpr std::uint64_t kSteps = 4;     // buckets of a power of two
constexpr unsigned kStepBits = 2;       // of kSteps
constexpr std::uint64_t kExactEnd = 4;  // below it each microsecond has a bucket

}  // namespace

std::size_t latency_bucket(std::chrono::nanoseconds took) {
  const std::int64_t whole = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, whole));
  if (us < kExactEnd) return static_cast<std::size_t>(us);
  const auto power = static_cast<unsigned>(std::bit_width(us)) - 1;
  const std::uint64_t step = (us >> (power - kStepBits)) % kSteps;
  return std::min<std::size_t>(kSteps * (power - 1) + step, kLatencyBuckets - 1);
}

std::chrono::microseconds latency_bucket_end(std::size_t bucket) {
  if (bucket < kExactEnd) return std::chrono::microseconds(bucket + 1);
  const std::size_t power = bucket / kSteps + 1;
  return std::chrono::microseconds((kSteps + bucket % kSteps + 1) << (power - kStepBits));
}

double LatencySum::quantile_ms(double share) const {
  const std::uint64_t all = std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0});
  if (all == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    seen += buckets[i];
    if (seen >= wanted) return std::chrono::duration<double, std::milli>(latency_bucket_end(i)).count();
  }
  return std::chrono::duration<double, std::milli>(latency_bucket_end(kLatencyBuckets - 1)).count();
}

void LatencyWindow::record(std::chrono::nanoseconds took, protocol::Instant now) {
  if (now - began_ >= kWindow) {
    previous_ = now - began_ < 2 * kWindow ? current_ : Buckets{};
    current_ = {};
    began_ = now;
  }
  ++current_[latency_bucket(took)];
  ++count_;
}

void LatencyWindow::add_to(LatencySum& sum, protocol::Instant now) const {
  sum.count += count_;
  const auto age = now - began_;
  for (std::size_t i = 0; i < kLatencyBuckets; ++i) {
    if (age < 2 * kWindow) sum.buckets[i] += current_[i];
    if (age < kWindow) sum.buckets[i] += previous_[i];
  }
}

}  // namespace braid::broker
