// Appending, beside raw direct writes of the same group sizes.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "storage/bench/load.h"
#include "storage/bench/machine.h"
#include "storage/bench/measures.h"
#include "storage/bench/raw_disk.h"

namespace braid::storage {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::array<std::uint32_t, 5> kPartitions{1, 16, 128, 1024, 10'000};
constexpr double kStretchSeconds = 1;
constexpr std::array<std::size_t, 2> kBatchBytes{1024, 16 * 1024};

std::string at(std::uint32_t partitions, std::size_t batch_bytes) {
  return "P = " + std::to_string(partitions) + ", " + std::to_string(batch_bytes / 1024) + " KiB";
}

/// Sums of all runs of one case.
struct Case {
  std::vector<double> rates;
  std::vector<double> floors;
  std::vector<double> handed_over;  // the floor of whoever has a thread for writing
  AppendRun all;
};

void add(AppendRun& to, const AppendRun& run) {
  to.seconds += run.seconds;
  to.cpu_seconds += run.cpu_seconds;
  to.batches += run.batches;
  to.bytes += run.bytes;
  to.groups += run.groups;
  to.heap_allocations += run.heap_allocations;
  to.file_calls += run.file_calls;
  to.wakeups += run.wakeups;
  to.writer_bytes += run.writer_bytes;
  to.prepared_bytes += run.prepared_bytes;
  to.other_bytes += run.other_bytes;
  to.longest_append_seconds = std::max(to.longest_append_seconds, run.longest_append_seconds);
}

Case run_case(Bench& bench, std::uint32_t partitions, std::size_t batch_bytes, Durability durability) {
  bench.workspace.clear();
  std::uint64_t bytes = batch_bytes <= 1024 ? bench.sizes.small_batches_bytes : bench.sizes.large_batches_bytes;
  const bool syncs = durability == Durability::kSynced;
  RawDisk raw(bench.workspace.files(), 128 * kMiB);
  Load load(bench.workspace.files(), Load::usual_options(),
            {.partitions = partitions,
             .batch_bytes = batch_bytes,
             .records = static_cast<std::int32_t>(batch_bytes / 1024),
             .outstanding = 64});
  // Warms up, and says how large the groups are.
  const AppendRun warm = load.append(bytes / 8, durability, false);
  const auto group_bytes = static_cast<std::uint64_t>(warm.group_bytes());
  // On a disk that syncs slowly: what takes about this long.
  bytes = std::clamp(static_cast<std::uint64_t>(static_cast<double>(warm.bytes) / warm.seconds * kStretchSeconds),
                     std::uint64_t{4} * kMiB, bytes);
  Case all;
  const auto floor = [&] { all.floors.push_back(raw.write_direct(group_bytes, syncs, bytes)); };
  const auto subject = [&] {
    const AppendRun run = load.append(bytes, durability, false);
    add(all.all, run);
    all.rates.push_back(run.mib_per_second());
    load.settle();
  };
  for (int round = 0; round < bench.sizes.rounds; ++round) {
    floor();
    subject();
    all.handed_over.push_back(raw.write_handed_over(group_bytes, syncs, bytes));
    subject();
    floor();
  }
  const AppendRun watched = load.append(bytes / 4, durability, true);
  all.all.longest_append_seconds = watched.longest_append_seconds;
  return all;
}

std::string note(const Case& all) {
  const AppendRun& run = all.all;
  const auto batches = static_cast<double>(run.batches);
  return "raw handed over " + number_text(spread_of(all.handed_over).median) + " MiB/s, group " +
         number_text(run.group_bytes() / 1024) + " KiB, " + number_text(run.cpu_seconds / batches * 1e6) +
         " CPU us/batch, longest append " + number_text(run.longest_append_seconds * 1e6) + " us, prepared " +
         number_text(static_cast<double>(run.prepared_bytes) / static_cast<double>(run.bytes)) + " per byte";
}

void report_costs(Bench& bench, const AppendRun& run, const std::string& where) {
  const auto per_batch = [&](std::uint64_t count) {
    const double value = static_cast<double>(count) / static_cast<double>(run.batches);
    return Spread{value, value, value};
  };
  bench.report.add({.measure = "  heap allocations a batch",
                    .at = where,
                    .unit = "",
                    .figure = per_batch(run.heap_allocations),
                    .goal = Row::Goal::kAtMost,
                    .bound = 0.01});
  bench.report.add({.measure = "  file calls a batch",
                    .at = where,
                    .unit = "",
                    .figure = per_batch(run.file_calls),
                    .goal = Row::Goal::kAtMost,
                    .bound = 0.2});
  bench.report.add({.measure = "  wake-ups a batch",
                    .at = where,
                    .unit = "",
                    .figure = per_batch(run.wakeups),
                    .goal = Row::Goal::kAtMost,
                    .bound = 0.2});
}

void measure_appends(Bench& bench, Durability durability, const std::string& name) {
  const bool syncs = durability == Durability::kSynced;
  for (const std::size_t batch_bytes : kBatchBytes) {
    double with_16 = 0;
    for (const std::uint32_t partitions : kPartitions) {
      const Case all = run_case(bench, partitions, batch_bytes, durability);
      const Spread rate = spread_of(all.rates);
      const std::string where = at(partitions, batch_bytes);
      bench.report.add({.measure = name,
                        .at = where,
                        .unit = "MiB/s",
                        .figure = rate,
                        .floor = spread_of(all.floors),
                        .goal = Row::Goal::kAtLeast,
                        .bound = 0.7,
                        .note = note(all)});
      if (partitions == 16) with_16 = rate.median;
      if (partitions == 10'000) {
        bench.report.add({.measure = "  against P = 16",
                          .at = where,
                          .unit = "MiB/s",
                          .figure = rate,
                          .floor = Spread{with_16, with_16, with_16},
                          .goal = Row::Goal::kAtLeast,
                          .bound = 0.8});
      }
      const double written = static_cast<double>(all.all.writer_bytes + all.all.other_bytes);
      const double amplified = written / static_cast<double>(all.all.bytes);
      if (syncs) {
        bench.report.add({.measure = "  bytes written per byte",
                          .at = where,
                          .unit = "",
                          .figure = {amplified, amplified, amplified},
                          .goal = Row::Goal::kAtMost,
                          .bound = batch_bytes == 1024 ? 1.5 : 1.1});
      }
      report_costs(bench, all.all, where);
    }
  }
  bench.workspace.clear();
}

}  // namespace

void measure_raw_disk(Bench& bench) {
  bench.workspace.clear();
  RawDisk raw(bench.workspace.files(), 256 * kMiB);
  const auto row = [&](const std::string& what, const std::string& where, const std::string& unit, const auto& one) {
    const Spread figure = spread_of_rounds(2 * bench.sizes.rounds, one);
    bench.report.add({.measure = what, .at = where, .unit = unit, .figure = figure});
  };
  for (const std::uint64_t kib : std::array<std::uint64_t, 4>{4, 64, 256, 1024}) {
    const std::string where = std::to_string(kib) + " KiB";
    const std::uint64_t bytes = std::min<std::uint64_t>(kib * 1024 * 500, 128 * kMiB);
    row("raw: direct write", where, "MiB/s", [&] { return raw.write_direct(kib * 1024, false, bytes); });
    row("raw: direct write, synced", where, "MiB/s", [&] { return raw.write_direct(kib * 1024, true, bytes); });
    row("raw: buffered write", where, "MiB/s", [&] { return raw.write_buffered(kib * 1024, bytes); });
  }
  row("raw: fdatasync", "after 4 KiB direct", "us", [&] { return raw.sync_seconds(200) * 1e6; });
  row("raw: read, in the page cache", "1 MiB", "MiB/s", [&] { return raw.read_through(kMiB); });
  if (drop_page_cache()) {
    row("raw: read, cold", "1 MiB", "MiB/s", [&] {
      drop_page_cache();
      return raw.read_through(kMiB);
    });
  }
}

void measure_durable_appends(Bench& bench) { measure_appends(bench, Durability::kSynced, "durable append"); }

void measure_unsynced_appends(Bench& bench) { measure_appends(bench, Durability::kWritten, "append without sync"); }

void measure_checkpoint_under_load(Bench& bench) {
  bench.workspace.clear();
  std::vector<double> with;
  std::vector<double> without;
  const auto one = [&](bool checkpoints, std::vector<double>& into) {
    bench.workspace.clear();
    CommitLogOptions options = Load::usual_options();
    // All partitions are dirty when one is taken.
    options.checkpoint_interval_bytes = checkpoints ? std::int64_t{32} << 20 : std::int64_t{1} << 40;
    Load load(bench.workspace.files(), options, {.partitions = 10'000, .batch_bytes = 1024});
    load.append(16 * kMiB, Durability::kSynced, false);
    AppendRun run = load.append(bench.sizes.small_batches_bytes * 2, Durability::kSynced, true);
    into.push_back(quantile(run.latencies, 0.99) * 1e3);
  };
  for (int round = 0; round < bench.sizes.rounds; ++round) {
    one(false, without);
    one(true, with);
    one(true, with);
    one(false, without);
  }
  bench.report.add({.measure = "checkpoints: append p99",
                    .at = "10,000 dirty, each 32 MiB",
                    .unit = "ms",
                    .figure = spread_of(with),
                    .floor = spread_of(without),
                    .goal = Row::Goal::kAtMost,
                    .bound = 2});
  bench.workspace.clear();
}

}  // namespace braid::storage
