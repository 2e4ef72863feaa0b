#include "storage/inspect/verify_queues.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "protocol/base/limits.h"
#include "protocol/base/printable.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/queue_times_format.h"
#include "storage/commitlog/topic_directory.h"
#include "storage/inspect/read_only_files.h"

namespace braid::storage {
namespace {

constexpr std::int64_t kChunkUnits = 3000;  // 100 chunks a file
constexpr std::uint64_t kProgressQueues = 1000;

std::string partition_text(const PartitionIdentity& identity) {
  const std::string topic =
      identity.name.empty() ? protocol::to_text(identity.topic) : protocol::printable(identity.name);
  return topic + "-" + std::to_string(identity.queue.value);
}

std::string range_text(Offset begin, Offset end) {
  const std::string first = "offset " + std::to_string(begin.value);
  return end.value - begin.value == 1 ? first : first + " to " + std::to_string(end.value - 1);
}

bool same(const QueueUnit& a, const QueueUnit& b) { return a.position == b.position && a.size_bytes == b.size_bytes; }

std::string number(std::int64_t value) { return std::to_string(value); }

}  // namespace

QueueVerification::QueueVerification(FileSystem& files, const LogSource& source, const std::string& shard, Read read,
                                     InspectOutput& out)
    : files_(files),
      source_(source),
      queues_(path_in(shard, "consumequeue")),
      read_(std::move(read)),
      out_(out),
      log_files_(files, protocol::kOpenLogFilesMax) {}

void QueueVerification::run(const ShardReading& reading) {
  log_end_ = reading.end;
  for (const auto& [id, partition] : reading.state.partitions()) {
    if (out_.enough()) return;
    if (partition.identity->provisional) continue;  // nothing said that it exists: a finding of its own
    if (counts_.queues % kProgressQueues == 0)
      out_.progress("queue " + number(static_cast<std::int64_t>(counts_.queues)) + " of " +
                    std::to_string(reading.state.partitions().size()));
    Findings findings = check_queue(partition);
    ++counts_.queues;
    if (!findings.empty()) check_again(partition, std::move(findings));
  }
  note_stale_directories(reading.state);
}

/// A running store may have cut or removed the partition since its state was read.
void QueueVerification::check_again(const ShardPartition& partition, Findings first) {
  if (!stands_still_) {
    const std::unique_ptr<ShardReading> now = read_();
    stands_still_ = now == nullptr || now->end == log_end_;
    if (!stands_still_) {
      log_end_ = now->end;
      const auto id = now->state.find(partition.identity->topic, partition.identity->queue);
      first = id ? check_queue(*now->state.partition(*id)) : Findings();
    }
  }
  for (const InspectFinding& finding : first) out_.finding(finding);
}

QueueVerification::Findings QueueVerification::check_queue(const ShardPartition& partition) {
  Findings findings;
  const ConsumeQueue& queue = partition.queue;
  if (queue.written_end() > queue.begin() && check_owner(partition, findings)) {
    check_units(partition, findings);
    check_times(partition, findings);
  }
  check_memory(partition, findings);
  return findings;
}

bool QueueVerification::check_owner(const ShardPartition& partition, Findings& findings) {
  const PartitionIdentity& identity = *partition.identity;
  const auto owner = TopicDirectories(files_, queues_).id_of(identity.name);
  if (owner.has_value() && *owner == identity.topic) return true;
  findings.push_back({.what = partition_text(identity) + ": not the directory of topic id " +
                              protocol::to_text(identity.topic) + ", which has units in files",
                      .path = queues_ + "/" + identity.name + "/topic-id"});
  return false;
}

void QueueVerification::check_units(const ShardPartition& partition, Findings& findings) {
  const ConsumeQueue& queue = partition.queue;
  const PartitionIdentity& identity = *partition.identity;
  protocol::Bytes chunk(static_cast<std::size_t>(kChunkUnits) * kQueueUnitBytes);
  Offset run_begin = queue.begin();
  QueueUnit run;
  const auto end_run = [&](Offset end) {
    if (run_begin >= end) return;
    std::string what = entry_fault(identity, run_begin, end, run);
    if (what.empty()) return;
    const UnitPlace place = place_of(run_begin.value);
    findings.push_back({.what = partition_text(identity) + ", " + range_text(run_begin, end) + ": " + what,
                        .path = queue_path(identity) + "/" + queue_file_name(place.file_number),
                        .at = static_cast<std::int64_t>(place.at_bytes)});
  };
  for (Offset at = queue.begin(); at < queue.written_end();) {
    const UnitPlace place = place_of(at.value);
    const std::int64_t file_end = (place.file_number + 1) * kQueueFileUnits;
    const std::int64_t count = std::min({kChunkUnits, queue.written_end().value - at.value, file_end - at.value});
    const std::string path = queue_path(identity) + "/" + queue_file_name(place.file_number);
    const auto file = files_.open(path, {.mode = OpenMode::kRead});
    const auto bytes = MutableBytes(chunk).first(static_cast<std::size_t>(count) * kQueueUnitBytes);
    const auto read = file.has_value() ? (*file)->read(place.at_bytes, bytes) : Result<std::size_t>(file.error());
    const std::int64_t there = read.has_value() ? static_cast<std::int64_t>(*read / kQueueUnitBytes) : 0;
    for (std::int64_t i = 0; i < there; ++i, ++at.value) {
      const QueueUnit unit =
          decode(ByteView(chunk).subspan(static_cast<std::size_t>(i) * kQueueUnitBytes).first<kQueueUnitBytes>());
      if (same(unit, run) && at > run_begin) continue;
      end_run(at);
      run_begin = at;
      run = unit;
    }
    counts_.units += static_cast<std::uint64_t>(there);
    if (there == count) continue;
    end_run(at);
    const Offset missing_end{at.value + count - there};
    findings.push_back({.what = partition_text(identity) + ", " + range_text(at, missing_end) +
                                ": the units are not there" + (read.has_error() ? ": " + read.error().message() : ""),
                        .path = path,
                        .at = static_cast<std::int64_t>(place_of(at.value).at_bytes)});
    at = run_begin = missing_end;
  }
  end_run(queue.written_end());
}

void QueueVerification::check_times(const ShardPartition& partition, Findings& findings) {
  constexpr std::int64_t kFilePages = kQueueFileUnits / kQueuePageUnits;
  const ConsumeQueue& queue = partition.queue;
  protocol::Bytes times(static_cast<std::size_t>(kFilePages) * kQueueTimeBytes);
  const std::int64_t pages_end = queue.written_end().value / kQueuePageUnits;
  for (std::int64_t page = queue.begin().value / kQueuePageUnits; page < pages_end;) {
    const std::int64_t file_number = page / kFilePages;
    const std::string path = queue_path(*partition.identity) + "-" + queue_file_name(file_number) + ".times";
    const auto file = files_.open(path, {.mode = OpenMode::kRead});
    const auto read = file.has_value() ? (*file)->read(0, times) : Result<std::size_t>(file.error());
    const std::size_t there = read.has_value() ? *read / kQueueTimeBytes : 0;
    if (read.has_error() && !is_missing(read.error()))
      findings.push_back({.what = read.error().message(), .path = path});
    for (; page < pages_end && page / kFilePages == file_number; ++page) {
      const auto index = static_cast<std::size_t>(page % kFilePages);
      if (index >= there) continue;  // not known: a look-up looks into the page
      const auto slot = ByteView(times).subspan(index * kQueueTimeBytes).first<kQueueTimeBytes>();
      const bool is_blank = std::ranges::all_of(slot, [](std::byte byte) { return byte == std::byte{0}; });
      const Offset begin{page * kQueuePageUnits};
      ++counts_.times;
      if (is_blank || decode_time(begin, slot) != kUnknownTimestamp) continue;
      findings.push_back({.what = partition_text(*partition.identity) +
                                  ": the check of the time of the page at offset " + number(begin.value) +
                                  " does not match",
                          .path = path,
                          .at = static_cast<std::int64_t>(index * kQueueTimeBytes),
                          .bytes = static_cast<std::int64_t>(kQueueTimeBytes)});
    }
  }
}

void QueueVerification::check_memory(const ShardPartition& partition, Findings& findings) {
  const ConsumeQueue& queue = partition.queue;
  Offset begin = std::max(queue.written_end(), queue.begin());
  for (std::uint32_t i = 0; i < queue.run_count(); ++i) {
    const auto [run, end] = queue.run(i);
    const std::string what =
        entry_fault(*partition.identity, begin, end, {.position = run.position.value, .size_bytes = run.size_bytes});
    if (!what.empty())
      findings.push_back({.what = partition_text(*partition.identity) + ", " + range_text(begin, end) +
                                  ", units not in files yet: " + what});
    counts_.units += static_cast<std::uint64_t>(end.value - begin.value);
    begin = end;
  }
}

std::string QueueVerification::entry_fault(const PartitionIdentity& identity, Offset begin, Offset end,
                                           const QueueUnit& unit) {
  if (unit.position == 0 && unit.size_bytes == 0) return "the records are lost";
  if (kind_of(unit) != UnitKind::kEntry) return "no unit that locates an entry";
  const LogPosition position{unit.position};
  const std::string place = source_.path_of(position) + " at " + number(source_.geometry.place_in_file(position));
  const auto file = log_files_.open_to_read(source_.path_of(position));
  if (file.has_error()) return place + ": " + file.error().message();
  EntryHeaderBytes bytes;
  const auto read = (*file)->read(static_cast<std::uint64_t>(source_.geometry.place_in_file(position)), bytes);
  if (read.has_error()) return place + ": " + read.error().message();
  const ReadHeader found = read_header(ByteView(bytes).first(*read), source_.seed, position);
  if (found.fault != HeaderFault::kNone) return "no entry's header is valid in " + place;
  const EntryHeader& header = found.header;
  if (header.type != EntryType::kBatch || header.topic != identity.topic || header.queue != identity.queue)
    return "another entry lies in " + place;
  if (begin < header.base || end.value > std::int64_t{header.base.value} + header.count)
    return "the entry in " + place + " holds offset " + number(header.base.value) + " to " +
           number(header.base.value + header.count - 1);
  if (header.size_bytes != unit.size_bytes)
    return "size " + number(unit.size_bytes) + ", and the entry in " + place + " has " + number(header.size_bytes);
  return {};
}

void QueueVerification::note_stale_directories(const ShardState& state) {
  const TopicDirectories topics(files_, queues_);
  const auto names = topics.names();
  if (names.has_error()) {
    if (!is_missing(names.error())) out_.finding({.what = names.error().message(), .path = queues_});
    return;
  }
  for (const std::string& name : *names) {
    const auto owner = topics.id_of(name);
    const bool is_living =
        owner.has_value() && *owner && std::ranges::any_of(state.partitions(), [&](const auto& entry) {
          return entry.second.identity->topic == **owner && entry.second.identity->name == name;
        });
    if (!is_living)
      out_.note(queues_ + "/" + protocol::printable(name) + " belongs to no topic that exists: it is never read");
  }
}

std::string QueueVerification::queue_path(const PartitionIdentity& identity) const {
  return queues_ + "/" + identity.name + "/" + std::to_string(identity.queue.value);
}

}  // namespace braid::storage
