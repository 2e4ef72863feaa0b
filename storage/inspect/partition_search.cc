#include "storage/inspect/partition_search.h"

#include <algorithm>

#include "storage/commitlog/control_entry.h"
#include "storage/inspect/log_walk.h"

namespace braid::storage {
namespace {

/// Damage elsewhere in the log is no answer to this question.
class Silence final : public InspectSink {
 public:
  explicit Silence(InspectOutput& out) : out_(out) {}
  bool row(std::string_view) override { return true; }
  bool finding(const InspectFinding&) override { return true; }
  void note(std::string_view) override {}
  void progress(std::string_view line) override { out_.progress(line); }

 private:
  InspectOutput& out_;
};

/// Follows one partition along the log.
class PartitionSearch {
 public:
  PartitionSearch(const SoughtName& sought, std::optional<SoughtOffset> known) : sought_(sought), known_(known) {}

  const std::optional<SoughtOffset>& known() const { return known_; }

  void entry(const LogScan::Found& found) {
    const bool is_whole = found.verdict == LogScan::Verdict::kEntry;
    const EntryHeader& header = found.header;
    if (header.type == EntryType::kSnapshot && is_whole) return snapshot(found);
    if (header.queue != sought_.queue) return;
    if (header.type == EntryType::kCreated && is_whole) {
      const auto created = decode_created(payload_of(header, found.entry));
      if (created && created->name == sought_.topic)
        known_ = SoughtOffset{.topic = header.topic, .start = header.base, .end = header.base};
      return;
    }
    if (known_ && header.topic == known_->topic) own_entry(header);
  }

 private:
  void own_entry(const EntryHeader& header) {
    const Offset end{header.base.value + header.count};
    if (header.type == EntryType::kRemoved) {
      known_.reset();
    } else if (header.type == EntryType::kStartMoved) {
      known_->start = std::max(known_->start, header.base);
      known_->end = std::max(known_->end, header.base);
    } else if (header.type == EntryType::kTruncated) {
      known_->end = header.base;
      known_->start = std::min(known_->start, header.base);
      if (sought_.offset >= header.base) known_->unit.reset();
    } else if (header.type == EntryType::kBatch && header.base >= known_->end) {
      known_->end = end;
      if (sought_.offset < header.base || sought_.offset >= end) return;
      known_->unit = QueueUnit{.position = header.position.value, .size_bytes = header.size_bytes, .tag_hash = 0};
      known_->said_by = "the log";
    }
  }

  void snapshot(const LogScan::Found& found) {
    const auto piece = decode_snapshot_piece(payload_of(found.header, found.entry), found.header.count == 1);
    if (!piece) return;
    for (const PartitionRecord& record : piece->partitions) {
      if (record.queue != sought_.queue || record.name != sought_.topic) continue;
      if (!known_ || known_->topic != record.topic)
        known_ = SoughtOffset{.topic = record.topic, .start = {}, .end = {}};
      known_->start = record.start;
      known_->end = record.end;
    }
  }

  const SoughtName& sought_;
  std::optional<SoughtOffset> known_;
};

std::optional<SoughtOffset> in_checkpoint(const ShardState& state, const SoughtName& sought) {
  for (const auto& [id, partition] : state.partitions()) {
    if (partition.identity->queue != sought.queue || partition.identity->name != sought.topic) continue;
    SoughtOffset known{
        .topic = partition.identity->topic, .start = partition.start.decided(), .end = partition.queue.end()};
    if (sought.offset < partition.queue.begin() || sought.offset >= partition.queue.end()) return known;
    if (const auto found = partition.queue.find(sought.offset)) {
      const QueueRun& run = found->run;
      known.unit = QueueUnit{.position = run.position.value, .size_bytes = run.size_bytes, .tag_hash = run.tag_hash};
      known.said_by = "the checkpoint";
    }
    return known;
  }
  return std::nullopt;
}

}  // namespace

std::optional<SoughtOffset> search_partition(FileSystem& files, const LogSource& source,
                                             const std::optional<CheckpointReading>& checkpoint,
                                             const SoughtName& sought, InspectOutput& out) {
  std::optional<SoughtOffset> known = checkpoint ? in_checkpoint(checkpoint->state, sought) : std::nullopt;
  Silence silence(out);
  InspectOutput quiet(out.format(), silence);
  PartitionSearch search(sought, known);
  LogWalk walk(files, source, quiet);
  walk.run({.from = checkpoint ? checkpoint->header.position : LogPosition{0}}, [&](const LogScan::Found& found) {
    search.entry(found);
    return true;
  });
  return search.known();
}

}  // namespace braid::storage
