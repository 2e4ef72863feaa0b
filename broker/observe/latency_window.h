#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "protocol/base/clock.h"

namespace braid::broker {

/// Of microseconds: four buckets for each power of two, up to half an hour, so that the end of a bucket is at most a
/// quarter above what is in it.
inline constexpr std::size_t kLatencyBuckets = 124;

/// The bucket of a duration, and the end of a bucket.
std::size_t latency_bucket(std::chrono::nanoseconds took);
std::chrono::microseconds latency_bucket_end(std::size_t bucket);

/// What several windows hold together.
struct LatencySum {
  std::array<std::uint64_t, kLatencyBuckets> buckets{};  // of the last one to two minutes
  std::uint64_t count = 0;                               // since the start

  /// What `share` of the recent ones did not exceed; 0 when there are none.
  double quantile_ms(double share) const;
};

/// How long one kind of thing took lately. Recording allocates nothing and takes some nanoseconds. Time is a parameter.
/// One thread.
class LatencyWindow {
 public:
  void record(std::chrono::nanoseconds took, protocol::Instant now);
  void add_to(LatencySum& sum, protocol::Instant now) const;

 private:
  using Buckets = std::array<std::uint32_t, kLatencyBuckets>;

  Buckets current_{};   // since began_
  Buckets previous_{};  // of the window before
  protocol::Instant began_{};
  std::uint64_t count_ = 0;
};

}  // namespace braid::broker
