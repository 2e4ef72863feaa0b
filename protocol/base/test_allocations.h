#pragma once

#include <cstddef>

namespace braid::protocol {

/// For tests: what this thread allocates while an object lives, by any library of the process. Linking the .cc file
/// puts the program's malloc in its hands, except where a sanitizer has it; available() says.

/// Counts.
class AllocationCount {
 public:
  static bool available();

  AllocationCount();
  AllocationCount(const AllocationCount&) = delete;
  AllocationCount& operator=(const AllocationCount&) = delete;

  std::size_t allocations() const;
  /// The most that was allocated and not freed at any moment, beyond what was at the begin.
  std::size_t peak_bytes() const;

 private:
  const std::size_t allocations_before_;
  const std::size_t live_bytes_before_;
};

/// Makes one allocation fail: the `ordinal`-th from now on, the first being 1. One at a time in a thread.
class AllocationFailure {
 public:
  explicit AllocationFailure(std::size_t ordinal);
  ~AllocationFailure();
  AllocationFailure(const AllocationFailure&) = delete;
  AllocationFailure& operator=(const AllocationFailure&) = delete;

  /// False: there were not so many allocations.
  bool happened() const;
};

}  // namespace braid::protocol
