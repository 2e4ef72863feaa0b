#include "storage/inspect/inspect_checkpoint.h"

#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/printable.h"
#include "storage/inspect/checkpoint_reading.h"
#include "storage/inspect/entry_text.h"
#include "storage/inspect/json_row.h"
#include "storage/inspect/log_source.h"
#include "storage/inspect/read_only_files.h"

namespace braid::storage {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string partition_text(const PartitionIdentity& identity) {
  return protocol::printable(identity.name) + "-" + number(identity.queue.value);
}

void partition_members(const PartitionIdentity& identity, JsonRow& row) {
  row.text("topic", identity.name);
  row.text("topic_id", protocol::to_text(identity.topic));
  row.number("partition", identity.queue.value);
}

/// One after the other; each kind of row has its own keys, and `kind` says which.
class CheckpointTeller {
 public:
  CheckpointTeller(const LogSource& source, InspectOutput& out) : source_(source), out_(out) {}

  void slot(int number_of_slot, const std::string& path, const SlotReading& reading, bool counts);
  void partitions(const ShardState& state);
  void files(const ShardState& state);
  void removals(const ShardState& state);

 private:
  bool json() const { return out_.format() == InspectFormat::kJson; }
  void slice(LogPosition file, const PartitionIdentity& identity, const Slice& slice);

  const LogSource& source_;
  InspectOutput& out_;
};

void CheckpointTeller::slot(int number_of_slot, const std::string& path, const SlotReading& reading, bool counts) {
  const bool is_whole = reading.checkpoint.has_value();
  if (json()) {
    JsonRow row;
    row.text("kind", "slot");
    row.number("slot", number_of_slot);
    row.text("state", !reading.is_there ? "missing" : is_whole ? "whole" : "damaged");
    row.flag("counts", counts);
    row.number("bytes", reading.bytes);
    if (is_whole) {
      const CheckpointHeader& header = reading.checkpoint->header;
      row.number("sequence", header.sequence);
      row.number("position", header.position.value);
      row.number("append_time", header.append_time);
      row.number("incarnation", header.incarnation);
    }
    return out_.row(row.line());
  }
  std::string line = "slot " + number(number_of_slot) + ": ";
  if (!reading.is_there) return out_.row(line + "there is none");
  if (!is_whole) return out_.row(line + path + ", " + number(reading.bytes) + " bytes, DAMAGED: " + reading.fault);
  const CheckpointHeader& header = reading.checkpoint->header;
  line += "sequence " + std::to_string(header.sequence) + ", all below position " + number(header.position.value) +
          ", incarnation " + std::to_string(header.incarnation) + ", appended until " + time_text(header.append_time) +
          ", " + number(reading.bytes) + " bytes";
  out_.row(counts ? line + "; this one counts" : line);
}

void CheckpointTeller::partitions(const ShardState& state) {
  out_.heading("");
  out_.heading("partition                    start           end   in the files    indexing  epochs (first offset)");
  for (const auto& [id, partition] : state.partitions()) {
    if (out_.enough()) return;
    const ConsumeQueue& queue = partition.queue;
    std::string epochs;
    for (const EpochStart& epoch : partition.epochs.starts()) {
      if (!epochs.empty()) epochs += json() ? "," : " ";
      epochs += json() ? "[" + number(epoch.epoch.value) + "," + number(epoch.start.value) + "]"
                       : number(epoch.epoch.value) + "(" + number(epoch.start.value) + ")";
    }
    if (json()) {
      JsonRow row;
      row.text("kind", "partition");
      partition_members(*partition.identity, row);
      row.number("start", partition.start.decided().value);
      row.number("end", queue.end().value);
      row.number("written_end", queue.written_end().value);
      row.number("runs", queue.run_count());
      row.number("indexing", partition.indexing);
      row.member("leader_epochs", "[" + epochs + "]");
      row.number("kept_as_of", partition.kept_as_of.value);
      row.number("kept_bytes", partition.kept().size());
      out_.row(row.line());
      continue;
    }
    std::array<char, 120> columns{};
    std::snprintf(columns.data(), columns.size(), " %9lld %13lld  up to %8lld  %10u  ",
                  static_cast<long long>(partition.start.decided().value), static_cast<long long>(queue.end().value),
                  static_cast<long long>(queue.written_end().value), partition.indexing);
    std::string who = partition_text(*partition.identity);
    who.resize(std::max<std::size_t>(who.size(), 24), ' ');
    out_.row(who + columns.data() + (epochs.empty() ? "none" : epochs));
  }
}

void CheckpointTeller::files(const ShardState& state) {
  out_.heading("");
  out_.heading("log file              entries         bytes  partition: offsets, newest record");
  for (const LogPosition file : state.files()) {
    if (out_.enough()) return;
    std::vector<std::pair<const PartitionIdentity*, const Slice*>> slices;
    for (const auto& [id, partition] : state.partitions())
      if (const Slice* const here = partition.slices.in(file)) slices.emplace_back(partition.identity.get(), here);
    if (json()) {
      JsonRow row;
      row.text("kind", "file");
      row.number("position", file.value);
      row.text("file", source_.path_of(file));
      row.number("partitions", slices.size());
      out_.row(row.line());
    } else if (slices.empty()) {
      out_.row(log_file_path(file).substr(10) + "        0             0  nothing of a partition");
    }
    for (const auto& [identity, one] : slices) slice(file, *identity, *one);
  }
}

void CheckpointTeller::slice(LogPosition file, const PartitionIdentity& identity, const Slice& slice) {
  if (json()) {
    JsonRow row;
    row.text("kind", "slice");
    row.number("position", file.value);
    partition_members(identity, row);
    row.number("bytes", slice.bytes);
    row.number("entries", slice.entries);
    row.number("first", slice.first.value);
    row.number("last", slice.last.value);
    row.number("max_timestamp", slice.timestamp_max);
    return out_.row(row.line());
  }
  std::array<char, 80> columns{};
  std::snprintf(columns.data(), columns.size(), "%020lld %8d %13lld  ", static_cast<long long>(file.value),
                slice.entries, static_cast<long long>(slice.bytes));
  out_.row(columns.data() + partition_text(identity) + ": " + number(slice.first.value) + " to " +
           number(slice.last.value) + ", " + time_text(slice.timestamp_max));
}

void CheckpointTeller::removals(const ShardState& state) {
  for (const Removal& removal : state.removals()) {
    if (json()) {
      JsonRow row;
      row.text("kind", "removal");
      row.text("topic", removal.name);
      row.text("topic_id", protocol::to_text(removal.topic));
      row.number("partition", removal.queue.value);
      row.flag("topic_gone", removal.topic_gone);
      out_.row(row.line());
    } else {
      out_.row("removed, its queue perhaps still there: " + protocol::printable(removal.name) + "-" +
               number(removal.queue.value));
    }
  }
}

}  // namespace

InspectSummary inspect_checkpoint(FileSystem& files, std::string_view path, InspectFormat format, InspectSink& sink) {
  ReadOnlyFiles seen(files, "");
  InspectOutput out(format, sink);
  const auto place = find_place(seen, path, out);
  if (!place) return out.summary();
  const auto source = open_log(seen, *place, out);
  if (!source) return out.summary();

  std::vector<SlotReading> slots;
  int counting = -1;
  for (int i = 0; i < 2; ++i) {
    slots.push_back(read_slot(seen, *place, *source, i));
    const SlotReading& slot = slots.back();
    const std::string where = slot_path(*place, i);
    if (!slot.fault.empty()) out.finding({.what = slot.fault, .path = where});
    if (!slot.checkpoint) continue;
    const CheckpointHeader& header = slot.checkpoint->header;
    const bool is_beyond = is_beyond_log(seen, *place, *source, header.position);
    if (is_beyond)
      out.finding(
          {.what = "position " + std::to_string(header.position.value) + " lies beyond the end of the log: not used",
           .path = where});
    const bool is_newer =
        counting < 0 || header.sequence > slots[static_cast<std::size_t>(counting)].checkpoint->header.sequence;
    if (!is_beyond && is_newer) counting = i;
  }
  CheckpointTeller teller(*source, out);
  for (int i = 0; i < 2; ++i) teller.slot(i, slot_path(*place, i), slots[static_cast<std::size_t>(i)], i == counting);
  if (counting < 0) {
    out.note("no checkpoint counts: the next start builds the queues from the log");
    return out.summary();
  }
  const ShardState& state = slots[static_cast<std::size_t>(counting)].checkpoint->state;
  teller.partitions(state);
  teller.files(state);
  teller.removals(state);
  return out.summary();
}

}  // namespace braid::storage
