#pragma once

#include <cstdint>
#include <string>

#include "storage/env/file_system.h"

/// What a benchmark asks the machine, through /proc, and does to it.
namespace braid::storage {

/// Seconds on the monotonic clock.
double seconds_now();
/// Of this process and all its threads, user and system.
double cpu_seconds();
std::uint64_t open_descriptors();
/// Heap in use, without blocks that are mappings of their own (the tail's slabs).
std::uint64_t heap_bytes();
std::uint64_t resident_bytes();
std::uint64_t available_memory_bytes();
std::string kernel_release();
/// False where that is not permitted.
bool drop_page_cache();
/// Reads a file of holes, so that the pages that it takes have been given to this machine by its host before anything
/// is measured.
void touch_memory(FileSystem& files, std::uint64_t bytes);

}  // namespace braid::storage
