#pragma once

#include <cstddef>

namespace braid::protocol {

/// For tests: what this thread allocates while the object lives, by any library of the process. Linking the .cc file
/// puts the program's malloc in its hands, except where a sanitizer has it.
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

}  // namespace braid::protocol
