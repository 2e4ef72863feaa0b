#include "storage/inspect/inspect_consume_queue.h"

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/commitlog/consume_queue_format.h"

namespace braid::storage {
namespace {

constexpr std::size_t kChunkUnits = 3000;  // 100 chunks a file

std::string padded(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

std::string columns(const std::string& index, const std::string& position, const std::string& size,
                    const std::string& tag_hash) {
  return padded(index, 12) + padded(position, 21) + padded(size, 12) + padded(tag_hash, 21);
}

std::string row_text(InspectFormat format, std::int64_t index, const QueueUnit& unit) {
  const std::string numbers[] = {std::to_string(index), std::to_string(unit.position), std::to_string(unit.size_bytes),
                                 std::to_string(unit.tag_hash)};
  switch (format) {
    case InspectFormat::kText:
      return columns(numbers[0], numbers[1], numbers[2], numbers[3]);
    case InspectFormat::kJson:
      return R"({"index":)" + numbers[0] + R"(,"position":)" + numbers[1] + R"(,"size":)" + numbers[2] +
             R"(,"tag_hash":)" + numbers[3] + "}";
  }
  return {};
}

std::string range_text(std::int64_t begin, std::int64_t end) {
  return "index " + std::to_string(begin) + " to " + std::to_string(end - 1);
}

/// One file of a queue, or what is to be read as one.
struct Part {
  std::string path;
  std::int64_t first_index = 0;
};

/// Goes through units in order and tells the sink about them.
class UnitTeller {
 public:
  UnitTeller(const QueueInspection& options, InspectSink& sink) : options_(options), sink_(sink) {}

  const InspectSummary& summary() const { return summary_; }
  bool enough() const { return enough_; }

  void begin() {
    if (options_.format == InspectFormat::kText) enough_ = !sink_.row(columns("index", "position", "size", "tag_hash"));
  }

  /// Zeros at the very end are only the file's unused rest.
  void end() {
    if (gap_kind_ == UnitKind::kFiller) end_gap();
  }

  void finding(const std::string& line) {
    ++summary_.findings;
    sink_.note(line);
  }

  void note(const std::string& line) { sink_.note(line); }

  /// Units below `index` were told about otherwise.
  void skip_to(std::int64_t index) { next_ = index; }

  void unit(std::int64_t index, const QueueUnit& unit) {
    if (index < options_.first_index || enough_) return;
    if (next_ && index > *next_) finding(range_text(*next_, index) + ": not in the files");
    next_ = index + 1;
    const UnitKind kind = kind_of(unit);
    if (kind != gap_kind_ || index != gap_end_) end_gap();
    switch (kind) {
      case UnitKind::kNone:
      case UnitKind::kFiller:
        if (!gap_kind_) gap_begin_ = index;
        gap_kind_ = kind;
        gap_end_ = index + 1;
        return;
      case UnitKind::kDamaged:
        finding("index " + std::to_string(index) + ": no such unit is ever written");
        break;
      case UnitKind::kReclustered:
        break;
      case UnitKind::kEntry:
        if (unit.position < last_position_)
          note("index " + std::to_string(index) + ": the position goes back; perhaps left from before a cut");
        last_position_ = unit.position;
        break;
    }
    row(index, unit);
  }

 private:
  /// Zeros and filler are told when something else follows.
  void end_gap() {
    if (!gap_kind_) return;
    const std::string range = range_text(gap_begin_, gap_end_);
    if (gap_kind_ == UnitKind::kNone) {
      finding(range + ": zeros; nothing was written there, or the records are lost");
    } else if (summary_.rows > 0) {
      finding(range + ": filler behind entries");
    } else {
      note(range + ": filler, the queue begins behind it");
    }
    gap_kind_.reset();
  }

  void row(std::int64_t index, const QueueUnit& unit) {
    if (summary_.rows >= static_cast<std::uint64_t>(std::max<std::int64_t>(options_.rows_max, 0))) {
      enough_ = true;
      return;
    }
    ++summary_.rows;
    enough_ = !sink_.row(row_text(options_.format, index, unit));
  }

  const QueueInspection& options_;
  InspectSink& sink_;
  InspectSummary summary_;
  bool enough_ = false;
  std::optional<std::int64_t> next_;  // the index that should come
  std::int64_t last_position_ = 0;
  std::optional<UnitKind> gap_kind_;  // kNone or kFiller while in [gap_begin_, gap_end_)
  std::int64_t gap_begin_ = 0;
  std::int64_t gap_end_ = 0;
};

void tell_size(UnitTeller& teller, const std::string& path, std::uint64_t size) {
  if (size > kQueueFileBytes) {
    teller.finding(path + ": " + std::to_string(size) + " bytes, more than a queue file has; the rest is not shown");
  } else if (size % kQueueUnitBytes != 0) {
    teller.finding(path + ": the last " + std::to_string(size % kQueueUnitBytes) + " bytes are no whole unit");
  }
}

/// Reads a file piece by piece; a piece that can't be read is a finding, and the next is tried.
void tell_file(File& file, const Part& part, const QueueInspection& options, UnitTeller& teller) {
  const Result<std::uint64_t> size = file.size();
  if (size.has_error()) return teller.finding(part.path + ": " + size.error().message());
  tell_size(teller, part.path, *size);
  const auto units_end = static_cast<std::int64_t>(std::min(*size, kQueueFileBytes) / kQueueUnitBytes);
  std::vector<std::byte> chunk(kChunkUnits * kQueueUnitBytes);
  std::int64_t at = std::clamp<std::int64_t>(options.first_index - part.first_index, 0, units_end);
  while (at < units_end && !teller.enough()) {
    const std::int64_t count = std::min<std::int64_t>(units_end - at, kChunkUnits);
    const auto at_bytes = static_cast<std::uint64_t>(at) * kQueueUnitBytes;
    const auto bytes = static_cast<std::size_t>(count) * kQueueUnitBytes;
    const Result<std::size_t> read = file.read(at_bytes, MutableBytes(chunk).first(bytes));
    if (read.has_error()) {
      teller.finding(part.path + ": " + std::to_string(bytes) + " bytes at " + std::to_string(at_bytes) + ": " +
                     read.error().message());
      teller.skip_to(part.first_index + at + count);
    }
    const auto readable = static_cast<std::int64_t>(read.has_error() ? 0 : *read / kQueueUnitBytes);
    for (std::int64_t i = 0; i < readable; ++i) {
      const auto unit = ByteView(chunk).subspan(static_cast<std::size_t>(i) * kQueueUnitBytes);
      teller.unit(part.first_index + at + i, decode(unit.first<kQueueUnitBytes>()));
    }
    at += count;
  }
}

std::string joined(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : std::string(directory) + "/" + std::string(name);
}

/// The queue files of a directory in order.
Result<std::vector<Part>> parts_of(FileSystem& files, std::string_view directory, UnitTeller& teller) {
  TRY(const std::vector<DirectoryEntry> entries, files.list(directory));
  std::vector<Part> parts;
  for (const DirectoryEntry& entry : entries) {
    const std::optional<std::int64_t> number = queue_file_number(entry.name);
    if (!number || entry.kind != FileKind::kFile) {
      teller.finding(joined(directory, entry.name) + ": no file of a queue");
      continue;
    }
    parts.push_back({.path = joined(directory, entry.name), .first_index = *number * kQueueFileUnits});
  }
  if (parts.empty()) teller.finding("no queue here: the directory of one queue looks like consumequeue/orders/0");
  return parts;
}

Part part_of(std::string_view path, UnitTeller& teller) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::optional<std::int64_t> number = queue_file_number(name);
  if (!number) teller.note(std::string(name) + " is no queue file's name; the index counts from 0");
  return {.path = std::string(path), .first_index = number.value_or(0) * kQueueFileUnits};
}

void tell_part(FileSystem& files, const Part& part, const QueueInspection& options, UnitTeller& teller) {
  if (teller.enough() || part.first_index + kQueueFileUnits <= options.first_index) return;
  const auto file = files.open(part.path, {.mode = OpenMode::kRead});
  if (file.has_error()) return teller.finding(part.path + ": " + file.error().message());
  tell_file(**file, part, options, teller);
}

}  // namespace

Result<InspectSummary> inspect_consume_queue(FileSystem& files, std::string_view path, const QueueInspection& options,
                                             InspectSink& sink) {
  UnitTeller teller(options, sink);
  if (!path.empty()) {
    const auto file = files.open(path, {.mode = OpenMode::kRead});
    if (file.has_value()) {
      const Part part = part_of(path, teller);
      teller.begin();
      tell_file(**file, part, options, teller);
      teller.end();
      return teller.summary();
    }
    if (file.error() != boost::system::errc::is_a_directory) return file.error();
  }
  TRY(const std::vector<Part> parts, parts_of(files, path, teller));
  teller.begin();
  for (const Part& part : parts) tell_part(files, part, options, teller);
  teller.end();
  return teller.summary();
}

}  // namespace braid::storage
