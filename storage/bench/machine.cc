#include "storage/bench/machine.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "protocol/base/bytes.h"
#include "storage/env/posix_file_system.h"
#include "storage/test_clock.h"

namespace braid::storage {
namespace {

/// A small file of the kernel's; "" where there is none.
std::string text_of(const std::string& directory, std::string_view name) {
  const auto files = open_posix_file_system(directory);
  if (files.has_error()) return "";
  const auto file = (*files)->open(name, {.mode = OpenMode::kRead});
  if (file.has_error()) return "";
  std::array<std::byte, 8192> bytes;
  const auto read = (*file)->read(0, bytes);
  return read.has_value() ? std::string(protocol::as_text(ByteView(bytes).first(*read))) : "";
}

/// The number behind `name` in a text of "name value" lines.
std::uint64_t number_behind(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + name.size());
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

double seconds_now() { return std::chrono::duration<double>(TestClock().now().time_since_epoch()).count(); }

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

std::uint64_t open_descriptors() {
  const auto files = open_posix_file_system("/proc/self/fd");
  if (files.has_error()) return 0;
  const auto entries = (*files)->list("");
  return entries.has_value() ? entries->size() - 2 : 0;  // without those that the listing itself has open
}

std::uint64_t heap_bytes() { return ::mallinfo2().uordblks; }

std::uint64_t resident_bytes() { return number_behind(text_of("/proc/self", "status"), "VmRSS:") * 1024; }

std::uint64_t available_memory_bytes() { return number_behind(text_of("/proc", "meminfo"), "MemAvailable:") * 1024; }

std::string kernel_release() {
  utsname name{};
  ::uname(&name);
  return static_cast<const char*>(name.release);
}

bool drop_page_cache() {
  ::sync();
  // Not through the seam: this one may be written only, not read.
  std::FILE* const file = std::fopen("/proc/sys/vm/drop_caches", "w");
  if (file == nullptr) return false;
  const bool asked = std::fputs("3", file) >= 0;
  return std::fclose(file) == 0 && asked;
}

void touch_memory(FileSystem& files, std::uint64_t bytes) {
  constexpr std::string_view kName = "touched";
  const auto file = files.open(kName, {.mode = OpenMode::kCreate});
  if (file.has_error() || (*file)->truncate(bytes).has_error()) return;
  protocol::Bytes window(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < bytes; at += window.size())
    if ((*file)->read(at, window).has_error()) break;
  static_cast<void>(files.remove_file(kName));  // what stays behind goes with the directory
}

}  // namespace braid::storage
