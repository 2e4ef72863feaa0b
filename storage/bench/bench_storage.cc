// ./dev bench storage: the storage beside the floors of the disk that it stands on, in one run.
//
// usage: bench_storage [--full] [--data DIR] [--format table|json] [--rounds N] [MEASURE ...]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "storage/bench/machine.h"
#include "storage/bench/measures.h"

namespace braid::storage {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct Measure {
  std::string_view name;
  void (*run)(Bench&);
};
// Idle partitions first: their heap is measured, which others leave in pieces.
constexpr Measure kMeasures[] = {
    {"idle", measure_idle_partitions},
    {"raw", measure_raw_disk},
    {"durable", measure_durable_appends},
    {"unsynced", measure_unsynced_appends},
    {"open", measure_opening},
    {"checkpoint", measure_checkpoint_under_load},
    {"read", measure_reads},
};

struct Arguments {
  BenchSizes sizes{.small_batches_bytes = 32 * kMiB,
                   .large_batches_bytes = 128 * kMiB,
                   .log_bytes = 256 * kMiB,
                   .touched_bytes = 1024 * kMiB,
                   .rounds = 3};
  std::string data = ".";
  Report::Format format = Report::Format::kTable;
  bool full = false;
  std::vector<std::string> measures;
};

int usage() {
  std::fprintf(stderr,
               "usage: bench_storage [--quick|--full] [--data DIR] [--format table|json] [--rounds N] [MEASURE ...]\n"
               "  measures (default: all): idle raw durable unsynced open checkpoint read\n"
               "  --quick  256 MiB for opening and reading (default);  --full  4 GiB\n"
               "  --data   where a directory for the data is made, and removed in the end (default: .)\n");
  return 2;
}

bool parse(int count, char** words, Arguments& into) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const bool has_value = i + 1 < count;
    if (word == "--full") {
      into.full = true;
      into.sizes = {.small_batches_bytes = 128 * kMiB,
                    .large_batches_bytes = 512 * kMiB,
                    .log_bytes = 4096 * kMiB,
                    .touched_bytes = 8192 * kMiB,
                    .rounds = into.sizes.rounds};
    } else if (word == "--quick") {
      continue;
    } else if (word == "--data" && has_value) {
      into.data = words[++i];
    } else if (word == "--format" && has_value) {
      into.format = std::string_view(words[++i]) == "json" ? Report::Format::kJson : Report::Format::kTable;
    } else if (word == "--rounds" && has_value) {
      into.sizes.rounds = std::max(1, std::atoi(words[++i]));
    } else if (word.starts_with("-")) {
      return false;
    } else {
      into.measures.emplace_back(word);
    }
  }
  return true;
}

int run(int count, char** words) {
  Arguments arguments;
  if (!parse(count, words, arguments)) return usage();
  Workspace workspace(arguments.data);
  Report report(arguments.format);
  Bench bench{workspace, report, arguments.sizes};
  const std::uint64_t memory = available_memory_bytes();
  touch_memory(workspace.files(),
               std::min(arguments.sizes.touched_bytes, memory > 1024 * kMiB ? memory - 1024 * kMiB : 0));
  for (const Measure& measure : kMeasures) {
    const bool wanted =
        arguments.measures.empty() || std::ranges::find(arguments.measures, measure.name) != arguments.measures.end();
    if (wanted) measure.run(bench);
  }
  report.finish("kernel " + kernel_release() + ", " + (arguments.full ? "full" : "quick") + " sizes, " +
                std::to_string(arguments.sizes.rounds) + " rounds");
  return 0;
}

}  // namespace
}  // namespace braid::storage

int main(int count, char** words) { return braid::storage::run(count, words); }
