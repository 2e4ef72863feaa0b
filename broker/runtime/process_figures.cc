#include "broker/runtime/process_figures.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace braid::broker {
namespace {

/// The number behind `word` at the begin of a line.
std::uint64_t number_behind(const char* path, const std::string& word) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string first;
    std::uint64_t number = 0;
    if (words >> first >> number && first == word) return number;
  }
  return 0;
}

double cpu_seconds() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto seconds = [](const timeval& time) {
    constexpr double kMicrosecond = 1e-6;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicrosecond;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all_pages = 0;
  std::uint64_t resident_pages = 0;
  file >> all_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// In ticks since the machine started; the 22nd field, and the 20th behind the program's name, which may hold anything.
double start_time_seconds() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream words(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  constexpr int kFieldsBefore = 19;
  std::string skipped;
  for (int i = 0; i < kFieldsBefore; ++i) words >> skipped;
  double ticks = 0;
  words >> ticks;
  const auto machine_start = static_cast<double>(number_behind("/proc/stat", "btime"));
  return machine_start + ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::uint64_t open_descriptors() {
  std::error_code error;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error))
    ++count;
  return count > 0 ? count - 1 : 0;  // the listing's own
}

}  // namespace

ProcessFigures process_figures() {
  ProcessFigures figures;
  figures.cpu_seconds = cpu_seconds();
  figures.start_time_seconds = start_time_seconds();
  figures.resident_bytes = resident_bytes();
  figures.open_descriptors = open_descriptors();
  figures.disk_read_bytes = number_behind("/proc/self/io", "read_bytes:");
  figures.disk_written_bytes = number_behind("/proc/self/io", "write_bytes:");
  return figures;
}

}  // namespace braid::broker
