#pragma once

#include <cstdint>

namespace braid::broker {

/// What the kernel says of this process; 0 where it does not say.
struct ProcessFigures {
  double cpu_seconds = 0;
  double start_time_seconds = 0;  // since 1970
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_descriptors = 0;
  std::uint64_t disk_read_bytes = 0;
  std::uint64_t disk_written_bytes = 0;
};

/// Any thread; reads some small files of the kernel's, some 100 us.
ProcessFigures process_figures();

}  // namespace braid::broker
