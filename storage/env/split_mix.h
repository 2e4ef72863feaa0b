#pragma once

#include <cstdint>

namespace braid::storage {

/// Random numbers that are the same for the same seed on every machine (SplitMix64). For tests and for choosing what a
/// power cut leaves; not for secrets. One thread.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }

  /// 0 … bound − 1; 0 when the bound is 0.
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }

  /// True `part` times of `whole`.
  bool chance(std::uint64_t part, std::uint64_t whole) { return below(whole) < part; }

 private:
  std::uint64_t state_;
};

}  // namespace braid::storage
