#include "storage/inspect/inspect_consume_queue.h"

#include <algorithm>
#include <boost/system/errc.hpp>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/commitlog/consume_queue_format.h"
#include "storage/inspect/read_only_files.h"

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
  const std::string first = "index " + std::to_string(begin);
  return end - begin == 1 ? first : first + " to " + std::to_string(end - 1);
}

/// One file of a queue, or what is to be read as one.
struct Part {
  std::string path;
  std::int64_t first_index = 0;
};

/// Goes through units in order and tells about them.
class UnitTeller {
 public:
  UnitTeller(const QueueInspection& options, InspectOutput& out) : options_(options), out_(out) {}

  bool enough() const { return out_.enough() || full_; }

  void begin() { out_.heading(columns("index", "position", "size", "tag_hash")); }

  /// The units of this file come next.
  void enter(const Part& part) { part_ = part; }

  /// Zeros at the very end are only the file's unused rest.
  void end() {
    if (gap_kind_ == UnitKind::kFiller) end_gap();
  }

  /// Units below `index` were told about otherwise.
  void skip_to(std::int64_t index) { next_ = index; }

  void unit(std::int64_t index, const QueueUnit& unit) {
    if (index < options_.first_index || enough()) return;
    if (next_ && index > *next_)
      out_.finding({.what = range_text(*next_, index) + ": not in the files", .path = part_.path});
    next_ = index + 1;
    const UnitKind kind = kind_of(unit);
    if (kind != gap_kind_ || index != gap_end_) end_gap();
    switch (kind) {
      case UnitKind::kNone:
      case UnitKind::kFiller:
        if (!gap_kind_) gap_begin_ = {part_, index};
        gap_kind_ = kind;
        gap_end_ = index + 1;
        return;
      case UnitKind::kDamaged:
        out_.finding(at(part_, index, index + 1, "no such unit is ever written"));
        break;
      case UnitKind::kReclustered:
        break;
      case UnitKind::kEntry:
        if (unit.position < last_position_)
          out_.note("index " + std::to_string(index) + ": the position goes back; perhaps left from before a cut");
        last_position_ = unit.position;
        break;
    }
    row(index, unit);
  }

 private:
  struct Begin {
    Part part;
    std::int64_t index = 0;
  };

  static InspectFinding at(const Part& part, std::int64_t begin, std::int64_t end, const std::string& what) {
    constexpr auto kBytes = static_cast<std::int64_t>(kQueueUnitBytes);
    return {.what = range_text(begin, end) + ": " + what,
            .path = part.path,
            .at = (begin - part.first_index) * kBytes,
            .bytes = (end - begin) * kBytes};
  }

  /// Zeros and filler are told when something else follows.
  void end_gap() {
    if (!gap_kind_) return;
    const auto gap = [&](const std::string& what) { return at(gap_begin_.part, gap_begin_.index, gap_end_, what); };
    if (gap_kind_ == UnitKind::kNone) {
      out_.finding(gap("zeros; nothing was written there, or the records are lost"));
    } else if (out_.summary().rows > 0) {
      out_.finding(gap("filler behind entries"));
    } else {
      out_.note(range_text(gap_begin_.index, gap_end_) + ": filler, the queue begins behind it");
    }
    gap_kind_.reset();
  }

  void row(std::int64_t index, const QueueUnit& unit) {
    full_ = out_.summary().rows >= static_cast<std::uint64_t>(std::max<std::int64_t>(options_.rows_max, 0));
    if (!full_) out_.row(row_text(options_.format, index, unit));
  }

  const QueueInspection& options_;
  InspectOutput& out_;
  Part part_;
  bool full_ = false;                 // as many rows as were asked for
  std::optional<std::int64_t> next_;  // the index that should come
  std::int64_t last_position_ = 0;
  std::optional<UnitKind> gap_kind_;  // kNone or kFiller while in [gap_begin_, gap_end_)
  Begin gap_begin_;
  std::int64_t gap_end_ = 0;
};

void tell_size(InspectOutput& out, const std::string& path, std::uint64_t size) {
  const std::uint64_t rest = size % kQueueUnitBytes;
  const auto bytes = static_cast<std::int64_t>(size);
  if (size > kQueueFileBytes) {
    out.finding({.what = "longer than a queue file gets; the rest is not shown",
                 .path = path,
                 .at = static_cast<std::int64_t>(kQueueFileBytes),
                 .bytes = bytes - static_cast<std::int64_t>(kQueueFileBytes)});
  } else if (rest != 0) {
    out.finding({.what = "the end is no whole unit",
                 .path = path,
                 .at = bytes - static_cast<std::int64_t>(rest),
                 .bytes = static_cast<std::int64_t>(rest)});
  }
}

/// Reads a file piece by piece; a piece that can't be read is a finding, and the next is tried.
void tell_file(File& file, const Part& part, const QueueInspection& options, UnitTeller& teller, InspectOutput& out) {
  const Result<std::uint64_t> size = file.size();
  if (size.has_error()) return out.finding({.what = size.error().message(), .path = part.path});
  tell_size(out, part.path, *size);
  teller.enter(part);
  const auto units_end = static_cast<std::int64_t>(std::min(*size, kQueueFileBytes) / kQueueUnitBytes);
  std::vector<std::byte> chunk(kChunkUnits * kQueueUnitBytes);
  std::int64_t at = std::clamp<std::int64_t>(options.first_index - part.first_index, 0, units_end);
  while (at < units_end && !teller.enough()) {
    const std::int64_t count = std::min<std::int64_t>(units_end - at, kChunkUnits);
    const auto at_bytes = static_cast<std::uint64_t>(at) * kQueueUnitBytes;
    const auto bytes = static_cast<std::size_t>(count) * kQueueUnitBytes;
    const Result<std::size_t> read = file.read(at_bytes, MutableBytes(chunk).first(bytes));
    if (read.has_error()) {
      out.finding({.what = read.error().message(),
                   .path = part.path,
                   .at = static_cast<std::int64_t>(at_bytes),
                   .bytes = static_cast<std::int64_t>(bytes)});
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

/// The queue files of a directory in order.
Result<std::vector<Part>> parts_of(FileSystem& files, std::string_view directory, InspectOutput& out) {
  TRY(const std::vector<DirectoryEntry> entries, files.list(directory));
  std::vector<Part> parts;
  std::vector<std::string> strange;
  for (const DirectoryEntry& entry : entries) {
    const std::optional<std::int64_t> number = queue_file_number(entry.name);
    if (number && entry.kind == FileKind::kFile) {
      parts.push_back({.path = path_in(directory, entry.name), .first_index = *number * kQueueFileUnits});
    } else {
      strange.push_back(path_in(directory, entry.name));
    }
  }
  if (parts.empty()) {
    out.finding({.what = "no queue here: the directory of one queue looks like consumequeue/orders/0",
                 .path = std::string(directory)});
    return parts;
  }
  for (const std::string& path : strange) out.finding({.what = "no file of a queue", .path = path});
  return parts;
}

Part part_of(std::string_view path, InspectOutput& out) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::optional<std::int64_t> number = queue_file_number(name);
  if (!number) out.note(std::string(name) + " is no queue file's name; the index counts from 0");
  return {.path = std::string(path), .first_index = number.value_or(0) * kQueueFileUnits};
}

void tell_part(FileSystem& files, const Part& part, const QueueInspection& options, UnitTeller& teller,
               InspectOutput& out) {
  if (teller.enough() || part.first_index + kQueueFileUnits <= options.first_index) return;
  const auto file = files.open(part.path, {.mode = OpenMode::kRead});
  if (file.has_error()) return out.finding({.what = file.error().message(), .path = part.path});
  tell_file(**file, part, options, teller, out);
}

}  // namespace

InspectSummary inspect_consume_queue(FileSystem& files, std::string_view path, const QueueInspection& options,
                                     InspectSink& sink) {
  InspectOutput out(options.format, sink);
  UnitTeller teller(options, out);
  const auto file =
      path.empty() ? Result<std::unique_ptr<File>>(file_error(EISDIR)) : files.open(path, {.mode = OpenMode::kRead});
  if (file.has_value()) {
    const Part part = part_of(path, out);
    teller.begin();
    tell_file(**file, part, options, teller, out);
  } else {
    const bool is_directory = file.error() == boost::system::errc::is_a_directory;
    const auto found = is_directory ? parts_of(files, path, out) : Result<std::vector<Part>>(file.error());
    if (found.has_error()) {
      out.finding({.what = found.error().message(), .path = std::string(path)});
      return out.summary();
    }
    teller.begin();
    for (const Part& part : *found) tell_part(files, part, options, teller, out);
  }
  teller.end();
  return out.summary();
}

}  // namespace braid::storage
