// Reading: from the tail, from the page cache, from the disk.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/bench/load.h"
#include "storage/bench/machine.h"
#include "storage/bench/measures.h"
#include "storage/bench/raw_disk.h"

namespace braid::storage {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

}  // namespace

void measure_reads(Bench& bench) {
  bench.workspace.clear();
  const std::uint64_t bytes = bench.sizes.log_bytes;
  RawDisk raw(bench.workspace.files(), std::min<std::uint64_t>(bytes, 1024 * kMiB));
  const Load::Shape shape{.partitions = 128, .batch_bytes = 16 * 1024, .records = 16};
  const auto timed = [](const auto& work) {
    const double begin = seconds_now();
    const std::uint64_t found = work();
    return static_cast<double>(found) / static_cast<double>(kMiB) / (seconds_now() - begin);
  };
  const auto row = [&](const std::string& what, std::optional<Spread> floor, double goal, const auto& one) {
    const Spread figure = spread_of_rounds(bench.sizes.rounds, one);
    bench.report.add({.measure = what,
                      .at = "128 P, 16 KiB batches",
                      .unit = "MiB/s",
                      .figure = figure,
                      .floor = floor,
                      .goal = goal > 0 ? Row::Goal::kAtLeast : Row::Goal::kNone,
                      .bound = goal});
  };
  auto written = std::make_unique<Load>(bench.workspace.files(), Load::usual_options(), shape);
  written->append(bytes, Durability::kWritten, false);
  row("read: tail", std::nullopt, 0, [&] {
    const std::vector<Offset> from = written->ends();
    written->append(32 * kMiB, Durability::kWritten, false);
    return timed([&] { return written->read_all(from, kMiB); });
  });
  written->close();
  written.reset();
  Load load(bench.workspace.files(), Load::usual_options(), shape);  // with an empty tail
  load.read_all(load.starts(), kMiB);
  row("read: warm, one of 128", std::nullopt, 0,
      [&] { return timed([&] { return load.read_partition(load.partitions()[5], kMiB); }); });
  row("read: warm, all", std::nullopt, 0, [&] { return timed([&] { return load.read_all(load.starts(), kMiB); }); });
  if (!drop_page_cache()) return;
  const Spread sequential = spread_of_rounds(bench.sizes.rounds, [&] {
    drop_page_cache();
    return raw.read_through(kMiB);
  });
  row("read: cold, one of 128", std::nullopt, 0, [&] {
    drop_page_cache();
    return timed([&] { return load.read_partition(load.partitions()[7], kMiB); });
  });
  row("read: cold, all", sequential, 0.7, [&] {
    drop_page_cache();
    return timed([&] { return load.read_all(load.starts(), kMiB); });
  });
  bench.workspace.clear();
}

}  // namespace braid::storage
