// Opening, recovering, rebuilding; what idle partitions take.
#include <malloc.h>

#include <string>

#include "storage/bench/load.h"
#include "storage/bench/machine.h"
#include "storage/bench/measures.h"

namespace braid::storage {
namespace {

constexpr std::uint32_t kPartitions = 10'000;

Load::Shape shape() { return {.partitions = kPartitions, .batch_bytes = 16 * 1024, .records = 16}; }

Spread once(double value) { return {value, value, value}; }

std::string gib(std::uint64_t bytes) {
  return "10,000 P, " + number_text(static_cast<double>(bytes) / (1U << 30U)) + " GiB";
}

}  // namespace

void measure_idle_partitions(Bench& bench) {
  bench.workspace.clear();
  // Meanwhile slabs of the tail are mappings of their own, and too large for gaps in the heap, so that they are not
  // counted as heap.
  ::mallopt(M_MMAP_THRESHOLD, 512 * 1024);
  CommitLogOptions options = Load::usual_options();
  options.slab_bytes = std::int64_t{32} << 20;
  {
    Load load(bench.workspace.files(), options, {.partitions = kPartitions, .batch_bytes = 1024});
    load.append(std::uint64_t{kPartitions} * 1024, Durability::kSynced, false);
    load.close();
  }
  const std::uint64_t heap_before = heap_bytes();
  const std::uint64_t descriptors_before = open_descriptors();
  Load load(bench.workspace.files(), options, {.partitions = kPartitions, .batch_bytes = 1024});
  const auto used = static_cast<double>(heap_bytes() - heap_before) / kPartitions;
  bench.report.add({.measure = "memory an idle partition",
                    .at = "10,000 P, opened again",
                    .unit = "B",
                    .figure = once(used),
                    .goal = Row::Goal::kAtMost,
                    .bound = 512});
  load.append(std::uint64_t{kPartitions} * 1024, Durability::kSynced, false);
  load.settle();
  const auto after = static_cast<double>(heap_bytes() - heap_before) / kPartitions;
  bench.report.add({.measure = "memory an idle partition",
                    .at = "one batch each since then",
                    .unit = "B",
                    .figure = once(after),
                    .goal = Row::Goal::kAtMost,
                    .bound = 512});
  bench.report.add({.measure = "descriptors",
                    .at = "10,000 P",
                    .unit = "",
                    .figure = once(static_cast<double>(open_descriptors() - descriptors_before)),
                    .goal = Row::Goal::kAtMost,
                    .bound = 64});
  ::mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
}

void measure_opening(Bench& bench) {
  bench.workspace.clear();
  const std::uint64_t bytes = bench.sizes.log_bytes;
  std::uint64_t scanned = 0;
  {
    Load load(bench.workspace.files(), Load::usual_options(), shape());
    load.append(bytes, Durability::kWritten, false);
    load.stop();  // as killed: no close
  }
  const auto open = [&](bool from_log_only) {
    drop_page_cache();
    CommitLogOptions options = Load::usual_options();
    options.from_log_only = from_log_only;
    Load load(bench.workspace.files(), options, shape());
    scanned = static_cast<std::uint64_t>(load.store().report().scanned_bytes);
    const double seconds = load.open_seconds();
    load.close();
    return seconds;
  };
  const double recovered = open(false);
  const double allowed = 1 + static_cast<double>(scanned) / 0.5e9;
  bench.report.add({.measure = "recovery after a kill, cold",
                    .at = gib(bytes),
                    .unit = "s",
                    .figure = once(recovered),
                    .goal = Row::Goal::kAtMost,
                    .bound = allowed,
                    .note = std::to_string(scanned >> 20U) + " MiB scanned"});
  const Spread cold = spread_of_rounds(bench.sizes.rounds, [&] { return open(false) * 1e3; });
  const auto open_warm = [&] {
    Load load(bench.workspace.files(), Load::usual_options(), shape());
    const double seconds = load.open_seconds();
    load.close();
    return seconds;
  };
  const Spread warm = spread_of_rounds(bench.sizes.rounds, [&] { return open_warm() * 1e3; });
  bench.report.add({.measure = "clean open, cold",
                    .at = gib(bytes),
                    .unit = "ms",
                    .figure = cold,
                    .goal = Row::Goal::kAtMost,
                    .bound = 100});
  bench.report.add({.measure = "clean open, warm",
                    .at = gib(bytes),
                    .unit = "ms",
                    .figure = warm,
                    .goal = Row::Goal::kAtMost,
                    .bound = 100});
  const double rebuilt = open(true);
  bench.report.add({.measure = "index rebuild, cold",
                    .at = gib(bytes),
                    .unit = "GB/s",
                    .figure = once(static_cast<double>(scanned) / rebuilt / 1e9),
                    .goal = Row::Goal::kAtLeast,
                    .bound = 0.5});
  bench.workspace.clear();
}

}  // namespace braid::storage
