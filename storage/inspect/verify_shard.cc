#include "storage/inspect/verify_shard.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/commitlog/shard_reading.h"
#include "storage/commitlog/torn_tail.h"
#include "storage/inspect/checkpoint_reading.h"
#include "storage/inspect/json_row.h"
#include "storage/inspect/log_source.h"
#include "storage/inspect/log_walk.h"
#include "storage/inspect/read_only_files.h"
#include "storage/inspect/verify_queues.h"

namespace braid::storage {
namespace {

using Kind = RecoveryFinding::Kind;

/// Twice this is searched for a proof that a bad entry was once whole, where the identity is lost that says how much.
constexpr std::int64_t kUnsyncedBytesAssumed = std::int64_t{256} << 20;

struct LogCounts {
  std::uint64_t files = 0;
  std::uint64_t entries = 0;
  std::uint64_t batches = 0;
  std::int64_t bytes = 0;
};

class ShardVerification {
 public:
  ShardVerification(FileSystem& files, const InspectedPlace& place, const LogSource& source, InspectOutput& out)
      : files_(files), place_(place), source_(source), out_(out), shard_(files, place.shard) {}

  void run();

 private:
  bool check_slots();
  std::unique_ptr<ShardReading> read(RecoveryReport& report);
  void tell(const RecoveryReport& report);
  void check_files(const ShardReading& reading);
  std::set<LogPosition> missing_files(const ShardReading& reading) const;
  void check_log(const ShardReading* reading);
  void tell_counts(const QueueCounts& queues);

  FileSystem& files_;
  const InspectedPlace& place_;
  const LogSource& source_;
  InspectOutput& out_;
  ReadOnlyFiles shard_;
  LogPosition checkpoint_;  // of the checkpoint that counts
  LogCounts log_;
};

void ShardVerification::run() {
  std::unique_ptr<ShardReading> reading;
  if (place_.is_shard) {
    RecoveryReport report;
    if (check_slots()) reading = read(report);
    tell(report);
  }
  if (reading) check_files(*reading);
  check_log(reading.get());
  const auto read_again = [this] {
    RecoveryReport ignored;
    return read(ignored);
  };
  QueueVerification queues(files_, source_, place_.shard, read_again, out_);
  if (reading) queues.run(*reading);
  tell_counts(queues.counts());
}

/// Whether a checkpoint counts.
bool ShardVerification::check_slots() {
  bool counts = false;
  for (int slot = 0; slot < 2; ++slot) {
    const SlotReading reading = read_slot(files_, place_, source_, slot);
    if (!reading.fault.empty()) out_.finding({.what = reading.fault, .path = slot_path(place_, slot)});
    if (!reading.checkpoint) continue;
    const LogPosition position = reading.checkpoint->header.position;
    if (is_beyond_log(files_, place_, source_, position)) {
      out_.finding({.what = "position " + std::to_string(position.value) + " lies beyond the end of the log: not used",
                    .path = slot_path(place_, slot)});
      continue;
    }
    checkpoint_ = std::max(checkpoint_, position);
    counts = true;
  }
  if (!counts) out_.note("no checkpoint counts: the next start builds the queues from the log; they are not checked");
  return counts;
}

std::unique_ptr<ShardReading> ShardVerification::read(RecoveryReport& report) {
  Identity identity = source_.identity.value_or(Identity{.layout = 1,
                                                         .store = source_.store,
                                                         .cluster = {},
                                                         .seed = source_.seed,
                                                         .file_bytes = source_.geometry.file_bytes,
                                                         .unsynced_bytes_max = kUnsyncedBytesAssumed});
  const RecoveryOptions options{.identity = identity, .tags = {}};
  const auto existing = find_log_files(shard_, source_.geometry);
  if (existing.has_error()) return nullptr;  // open_log said so
  auto reading = read_shard(shard_, options, *existing, report);
  if (reading.has_value()) return std::make_unique<ShardReading>(*std::move(reading));
  out_.finding({.what = "the log can't be followed to its end: " + reading.error().message(), .path = place_.folder});
  return nullptr;
}

/// What the walk along the log and the look at the slots don't see.
void ShardVerification::tell(const RecoveryReport& report) {
  for (const RecoveryFinding& finding : report.findings) {
    if (finding.kind == Kind::kMissingFile)
      out_.finding({.what = "log files are missing, and nothing says that they were freed",
                    .path = path_in(place_.shard, finding.path),
                    .position = finding.position,
                    .bytes = finding.bytes});
    if (finding.kind == Kind::kUnknownPartition)
      out_.finding({.what = "batches of partition " + finding.path + ", of which nothing else is known"});
  }
}

/// Files below the checkpoint that it counts on. A running store may free one meanwhile: then a later look knows.
void ShardVerification::check_files(const ShardReading& reading) {
  std::set<LogPosition> missing = missing_files(reading);
  if (missing.empty()) return;
  RecoveryReport ignored;
  const auto now = read(ignored);
  if (now) missing = missing_files(*now);
  for (const LogPosition file : missing)
    out_.finding(source_.finding("the log file is missing, and nothing says that it was freed", file));
}

std::set<LogPosition> ShardVerification::missing_files(const ShardReading& reading) const {
  std::set<LogPosition> missing;
  for (const LogPosition file : reading.state.files())
    if (file < source_.geometry.file_of(checkpoint_) && !source_.paths.contains(file)) missing.insert(file);
  return missing;
}

void ShardVerification::check_log(const ShardReading* reading) {
  LogWalk walk(files_, source_, out_);
  LogWalk::Range range;
  if (reading != nullptr) range.to = reading->end;
  range.proven = reading != nullptr ? std::min(reading->synced, reading->end) : LogPosition{0};
  walk.run(range, [this](const LogScan::Found& found) {
    ++log_.entries;
    log_.batches += found.header.type == EntryType::kBatch ? 1 : 0;
    log_.bytes += found.header.size_bytes;
    return true;
  });
  log_.files = source_.paths.size();
  if (reading == nullptr) return;
  if (reading->synced > reading->end)
    out_.finding({.what = "the log ends before position " + std::to_string(reading->synced.value) +
                          ", up to which it was synced",
                  .path = source_.path_of(reading->end),
                  .position = reading->end});
  if (source_.paths.empty()) return;
  const LogPosition last = source_.geometry.next_file(source_.paths.rbegin()->first);
  LogScan scan = source_.scan(files_);
  if (const auto torn_end = find_torn_tail(scan, reading->end, last).end)
    out_.note("behind the log's end at position " + std::to_string(reading->end.value) + " lie " +
              std::to_string(torn_end->value - reading->end.value) +
              " bytes: written meanwhile, or torn; the next start keeps what is torn aside");
}

void ShardVerification::tell_counts(const QueueCounts& queues) {
  const std::uint64_t findings = out_.summary().findings;
  if (out_.format() == InspectFormat::kJson) {
    JsonRow row;
    row.number("log_files", log_.files);
    row.number("entries", log_.entries);
    row.number("batches", log_.batches);
    row.number("bytes", log_.bytes);
    row.number("queues", queues.queues);
    row.number("units", queues.units);
    row.number("times", queues.times);
    row.number("findings", findings);
    return out_.row(row.line());
  }
  const auto of = [](std::uint64_t count, const std::string& word) { return std::to_string(count) + " " + word; };
  out_.row("checked " + of(log_.files, "log files, ") + of(log_.entries, "entries (") + of(log_.batches, "batches, ") +
           std::to_string(log_.bytes) + " bytes), " + of(queues.queues, "queues, ") + of(queues.units, "units, ") +
           of(queues.times, "page times: ") + (findings == 0 ? "no findings" : of(findings, "findings")));
}

}  // namespace

InspectSummary verify_shard(FileSystem& files, std::string_view path, InspectFormat format, InspectSink& sink) {
  ReadOnlyFiles seen(files, "");
  InspectOutput out(format, sink);
  const auto place = find_place(seen, path, out);
  if (!place) return out.summary();
  const auto source = open_log(seen, *place, out);
  if (!source) return out.summary();
  ShardVerification(seen, *place, *source, out).run();
  return out.summary();
}

}  // namespace braid::storage
