#include "storage/inspect/inspect_where.h"

#include <array>
#include <optional>
#include <utility>

#include "protocol/base/printable.h"
#include "storage/commitlog/consume_queue_format.h"
#include "storage/commitlog/topic_directory.h"
#include "storage/inspect/entry_text.h"
#include "storage/inspect/json_row.h"
#include "storage/inspect/partition_search.h"
#include "storage/inspect/read_only_files.h"
#include "storage/inspect/record_place.h"

namespace braid::storage {
namespace {

/// The unit as the queue's file has it.
struct UnitInFile {
  std::string path;
  std::int64_t at = 0;
  std::optional<QueueUnit> unit;  // nullopt: the file does not reach there
};

/// Follows one offset, step by step.
class OffsetTrail {
 public:
  OffsetTrail(FileSystem& files, const InspectedPlace& place, const LogSource& source, const WhereInspection& options,
              InspectOutput& out)
      : files_(files), place_(place), source_(source), options_(options), out_(out) {}

  void follow();

 private:
  bool json() const { return out_.format() == InspectFormat::kJson; }
  std::string who() const {
    return protocol::printable(options_.topic) + "-" + std::to_string(options_.partition.value);
  }
  void fault(std::string what) { out_.finding({.what = std::move(what)}); }

  void tell_partition(const SoughtOffset& sought);
  UnitInFile read_unit(const SoughtOffset& sought);
  /// The unit to go on with; nullopt: there is none.
  std::optional<QueueUnit> settle_unit(const SoughtOffset& sought);
  void tell_unit(const QueueUnit& unit, std::string_view said_by, const UnitInFile& in_file);
  void follow_unit(const SoughtOffset& sought, const QueueUnit& unit);
  void judge_entry(const SoughtOffset& sought, const QueueUnit& unit, const LogScan::Found& found);

  FileSystem& files_;
  const InspectedPlace& place_;
  const LogSource& source_;
  const WhereInspection& options_;
  InspectOutput& out_;
};

void OffsetTrail::follow() {
  const auto checkpoint = newest_checkpoint(files_, place_, source_);
  const auto sought =
      search_partition(files_, source_, checkpoint,
                       {.topic = options_.topic, .queue = options_.partition, .offset = options_.offset}, out_);
  if (!sought) return fault("neither checkpoint nor log know a partition " + who());
  tell_partition(*sought);
  if (options_.offset < sought->start)
    return fault("offset " + std::to_string(options_.offset.value) + " is below the log start");
  if (options_.offset >= sought->end)
    return fault("offset " + std::to_string(options_.offset.value) + " is not written yet: the next one is " +
                 std::to_string(sought->end.value));
  if (const auto unit = settle_unit(*sought)) follow_unit(*sought, *unit);
}

void OffsetTrail::tell_partition(const SoughtOffset& sought) {
  if (!json())
    return out_.row("partition: " + who() + ", topic id " + protocol::to_text(sought.topic) + ", log start " +
                    std::to_string(sought.start.value) + ", next offset " + std::to_string(sought.end.value));
  JsonRow row;
  row.text("step", "partition");
  row.text("topic", options_.topic);
  row.text("topic_id", protocol::to_text(sought.topic));
  row.number("partition", options_.partition.value);
  row.number("start", sought.start.value);
  row.number("end", sought.end.value);
  out_.row(row.line());
}

UnitInFile OffsetTrail::read_unit(const SoughtOffset& sought) {
  const UnitPlace place = place_of(options_.offset.value);
  const std::string queues = path_in(place_.shard, "consumequeue");
  UnitInFile in_file;
  in_file.path = queues + "/" + options_.topic + "/" + std::to_string(options_.partition.value) + "/" +
                 queue_file_name(place.file_number);
  in_file.at = static_cast<std::int64_t>(place.at_bytes);
  const auto owner = TopicDirectories(files_, queues).id_of(options_.topic);
  if (owner.has_error() || *owner != sought.topic) return in_file;  // another topic's, of the same name
  const auto file = files_.open(in_file.path, {.mode = OpenMode::kRead});
  if (file.has_error()) return in_file;
  std::array<std::byte, kQueueUnitBytes> bytes;
  const auto read = (*file)->read(place.at_bytes, bytes);
  if (read.has_value() && *read == bytes.size()) in_file.unit = decode(bytes);
  return in_file;
}

std::optional<QueueUnit> OffsetTrail::settle_unit(const SoughtOffset& sought) {
  const UnitInFile in_file = read_unit(sought);
  const auto bad_file = [&](const std::string& what) {
    out_.finding({.what = what, .path = in_file.path, .at = in_file.at, .bytes = kQueueUnitBytes});
  };
  if (!sought.unit && !in_file.unit) {
    bad_file("the unit is in no file, and neither checkpoint nor log say where the record lies");
    return std::nullopt;
  }
  const QueueUnit unit = sought.unit ? *sought.unit : *in_file.unit;
  tell_unit(unit, sought.unit ? sought.said_by : "the queue's file", in_file);
  if (kind_of(unit) == UnitKind::kEntry) return unit;
  bad_file(unit == QueueUnit{} ? "the record is lost: nothing says where it lies" : "no unit that locates an entry");
  return std::nullopt;
}

void OffsetTrail::tell_unit(const QueueUnit& unit, std::string_view said_by, const UnitInFile& in_file) {
  const bool is_in_file =
      in_file.unit && in_file.unit->position == unit.position && in_file.unit->size_bytes == unit.size_bytes;
  if (json()) {
    JsonRow row;
    row.text("step", "unit");
    row.number("index", options_.offset.value);
    row.text("said_by", is_in_file ? "the queue's file" : said_by);
    row.text("file", in_file.path);
    row.number("at", in_file.at);
    row.flag("in_file", is_in_file);
    row.number("position", unit.position);
    row.number("size", unit.size_bytes);
    row.number("tag_hash", is_in_file ? in_file.unit->tag_hash : unit.tag_hash);
    return out_.row(row.line());
  }
  const std::int64_t tag = is_in_file ? in_file.unit->tag_hash : unit.tag_hash;
  std::string line = "unit: index " + std::to_string(options_.offset.value) + " of the queue: position " +
                     std::to_string(unit.position) + ", size " + std::to_string(unit.size_bytes) + ", tag hash " +
                     std::to_string(tag);
  out_.row(line);
  const std::string where = in_file.path + " at " + std::to_string(in_file.at);
  out_.row(is_in_file ? "    in " + where : "    said by " + std::string(said_by) + "; not in " + where + " yet");
}

void OffsetTrail::follow_unit(const SoughtOffset& sought, const QueueUnit& unit) {
  const LogPosition position{unit.position};
  LogScan scan = source_.scan(files_);
  LogScan::Found found = scan.at(position);
  const std::int64_t at = source_.geometry.place_in_file(position);
  const bool has_header = found.verdict == LogScan::Verdict::kEntry || found.verdict == LogScan::Verdict::kBadPayload;
  // Whatever stands there is shown, an entry or not.
  const ByteView bytes = has_header ? found.entry : scan.bytes(position, static_cast<std::size_t>(kEntryHeaderBytes));
  const EntryPlace place{.entry = bytes, .path = source_.path_of(position), .at = at};
  if (bytes.size() < static_cast<std::size_t>(kEntryHeaderBytes)) {
    out_.finding(source_.finding("the log has no such place", position));
    return;
  }
  tell_entry_header(place, out_);
  judge_entry(sought, unit, found);
  if (!has_header || found.header.type != EntryType::kBatch) return;
  tell_batch_header(place, out_);
  if (found.verdict == LogScan::Verdict::kEntry)
    tell_record(place, payload_of(found.header, found.entry), options_.offset, out_);
}

void OffsetTrail::judge_entry(const SoughtOffset& sought, const QueueUnit& unit, const LogScan::Found& found) {
  const LogPosition position{unit.position};
  const EntryHeader& header = found.header;
  const auto bad = [&](std::string what) { out_.finding(source_.finding(std::move(what), position, unit.size_bytes)); };
  if (found.verdict == LogScan::Verdict::kBadPayload) return bad(payload_fault(found));
  if (found.verdict != LogScan::Verdict::kEntry) return bad("no valid entry");
  const bool is_covered = header.base <= options_.offset && options_.offset.value < header.base.value + header.count;
  if (header.type != EntryType::kBatch || header.topic != sought.topic || header.queue != options_.partition ||
      !is_covered)
    return bad("the entry is not the one that holds this offset");
  if (header.size_bytes != unit.size_bytes) bad("the unit says another size than the entry");
}

}  // namespace

InspectSummary inspect_where(FileSystem& files, std::string_view path, const WhereInspection& options,
                             InspectSink& sink) {
  ReadOnlyFiles seen(files, "");
  InspectOutput out(options.format, sink);
  const auto place = find_place(seen, path, out);
  if (!place) return out.summary();
  const auto source = open_log(seen, *place, out);
  if (!source) return out.summary();
  if (options.offset.value < 0 || options.offset.value >= kQueueOffsetEnd) {
    out.finding({.what = "no queue has an offset " + std::to_string(options.offset.value)});
    return out.summary();
  }
  OffsetTrail(seen, *place, *source, options, out).follow();
  return out.summary();
}

}  // namespace braid::storage
