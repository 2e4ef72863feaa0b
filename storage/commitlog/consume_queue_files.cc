#include "storage/commitlog/consume_queue_files.h"

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "storage/commitlog/queue_times_format.h"
#include "storage/errors.h"

namespace braid::storage {
namespace {

using protocol::check;

constexpr std::int64_t kFilePages = kQueueFileUnits / kQueuePageUnits;
constexpr std::size_t kBufferUnits = protocol::kQueueBufferBytes / kQueueUnitBytes;

std::int64_t page_of(Offset offset) { return offset.value / kQueuePageUnits; }
Offset page_begin(std::int64_t page) { return Offset{page * kQueuePageUnits}; }
Offset file_end(std::int64_t file_number) { return Offset{(file_number + 1) * kQueueFileUnits}; }

std::span<std::byte, kQueueTimeBytes> time_slot(MutableBytes times, std::int64_t index) {
  return times.subspan(static_cast<std::size_t>(index) * kQueueTimeBytes).first<kQueueTimeBytes>();
}

/// Greatest timestamp of the units of one page that are written now or were before; all of them are among these.
std::int64_t page_timestamp(const QueueWrite& units, std::int64_t page) {
  const Offset begin = page_begin(page);
  const Offset end = page_begin(page + 1);
  std::int64_t greatest = begin < units.first ? units.page_timestamp : kNoTimestamp;
  // The last run that begins at or before the page, then all that begin inside it.
  auto run = std::ranges::upper_bound(units.runs, begin, {}, &QueueRun::first);
  if (run != units.runs.begin()) --run;
  for (; run != units.runs.end() && run->first < end; ++run) greatest = std::max(greatest, run->timestamp_max);
  return greatest;
}

/// Puts filler where the file does not reach up to `at` yet: the queue begins there.
Result<void> fill_up(File& file, std::uint64_t at, MutableBytes buffer) {
  TRY(const std::uint64_t size, file.size());
  std::uint64_t from = size - size % kQueueUnitBytes;
  if (from >= at) return protocol::ok();
  for (std::size_t i = 0; i < kBufferUnits; ++i)
    encode(kFillerUnit, buffer.subspan(i * kQueueUnitBytes).first<kQueueUnitBytes>());
  while (from < at) {
    const std::size_t bytes = static_cast<std::size_t>(std::min<std::uint64_t>(at - from, buffer.size()));
    TRY_DO(file.write(from, buffer.first(bytes)));
    from += bytes;
  }
  return protocol::ok();
}

}  // namespace

ConsumeQueueFiles::ConsumeQueueFiles(FileSystem& files, OpenFiles& open_files, std::string directory)
    : files_(files),
      open_files_(open_files),
      directory_(std::move(directory)),
      topics_(files, directory_),
      buffer_(kBufferUnits * kQueueUnitBytes) {}

Result<void> ConsumeQueueFiles::write(const QueueName& name, const QueueWrite& units) {
  check(units.first < units.end && units.end.value <= kQueueOffsetEnd, "there are units to write");
  TRY_DO(own_directory(name));
  RunEncoder encoder(units);
  for (Offset first = units.first; first < units.end;) {
    const Offset end = std::min(units.end, file_end(place_of(first.value).file_number));
    TRY_DO(write_in_one_file(name, first, end, encoder));
    first = end;
  }
  return write_times(name, units);
}

Result<void> ConsumeQueueFiles::read(const QueueName& name, Offset from, std::span<QueueUnit> into) {
  std::array<std::byte, static_cast<std::size_t>(kQueuePageUnits) * kQueueUnitBytes> bytes;
  while (!into.empty()) {
    const UnitPlace place = place_of(from.value);
    const auto count = static_cast<std::size_t>(std::min(
        {kQueuePageUnits, static_cast<std::int64_t>(into.size()), file_end(place.file_number).value - from.value}));
    const auto file = open_files_.open_to_read(unit_path(name, place.file_number));
    if (file.has_error()) return is_missing(file.error()) ? make_error_code(StorageErrc::corrupt) : file.error();
    TRY(const std::size_t read, (*file)->read(place.at_bytes, std::span(bytes).first(count * kQueueUnitBytes)));
    if (read < count * kQueueUnitBytes) return make_error_code(StorageErrc::corrupt);
    for (std::size_t i = 0; i < count; ++i) {
      into[i] = decode(std::span(bytes).subspan(i * kQueueUnitBytes).first<kQueueUnitBytes>());
      if (kind_of(into[i]) != UnitKind::kEntry) return make_error_code(StorageErrc::corrupt);
    }
    into = into.subspan(count);
    from.value += static_cast<std::int64_t>(count);
  }
  return protocol::ok();
}

Result<std::optional<Offset>> ConsumeQueueFiles::find_time_page(const QueueName& name, std::int64_t timestamp,
                                                                Offset from, Offset end) {
  if (from >= end) return std::nullopt;
  std::array<std::byte, static_cast<std::size_t>(kFilePages) * kQueueTimeBytes> times;
  std::int64_t page = page_of(from);
  while (page_begin(page) < end) {
    const std::int64_t file_number = page / kFilePages;
    const auto file = open_files_.open_to_read(time_path(name, file_number));
    if (file.has_error() && !is_missing(file.error())) return file.error();
    std::ranges::fill(times, std::byte{0});
    if (file.has_value()) {
      TRY_DO((*file)->read(0, times));
    }
    for (; page / kFilePages == file_number && page_begin(page) < end; ++page) {
      const bool whole = page_begin(page + 1) <= end;
      if (!whole || decode_time(page_begin(page), time_slot(times, page % kFilePages)) >= timestamp)
        return std::max(from, page_begin(page));
    }
  }
  return std::nullopt;
}

Result<void> ConsumeQueueFiles::trim(const QueueName& name, Offset begin) {
  const auto entries = files_.list(queue_directory(name));
  if (entries.has_error()) return is_missing(entries.error()) ? protocol::ok() : entries.error();
  for (const DirectoryEntry& entry : *entries) {
    const std::optional<std::int64_t> number = queue_file_number(entry.name);
    if (!number || file_end(*number) > begin) continue;
    // The times first: if this ends half-way, the file that is left leads back to them.
    TRY_DO(remove_file(time_path(name, *number)));
    TRY_DO(remove_file(unit_path(name, *number)));
  }
  return protocol::ok();
}

Result<void> ConsumeQueueFiles::remove_queue(const QueueName& name) {
  TRY_DO(trim(name, Offset{kQueueOffsetEnd}));
  open_files_.forget(queue_directory(name));
  return remove_tree(files_, queue_directory(name));
}

Result<void> ConsumeQueueFiles::own_directory(const QueueName& name) {
  if (owned_topic_ == name.topic && owned_id_ == name.topic_id) return protocol::ok();
  TRY(const std::optional<TopicId> owner, topics_.id_of(name.topic));
  if (owner != name.topic_id) {
    TRY_DO(remove_topic(name.topic));
    TRY_DO(topics_.make(name.topic, name.topic_id));
  }
  owned_topic_ = name.topic;
  owned_id_ = name.topic_id;
  return protocol::ok();
}

Result<void> ConsumeQueueFiles::remove_topic(std::string_view topic) {
  owned_topic_.clear();
  open_files_.forget(topics_.path(topic));
  return remove_tree(files_, topics_.path(topic));
}

std::string ConsumeQueueFiles::queue_directory(const QueueName& name) const {
  return topics_.path(name.topic) + "/" + std::to_string(name.queue.value);
}

std::string ConsumeQueueFiles::unit_path(const QueueName& name, std::int64_t file_number) const {
  return queue_directory(name) + "/" + queue_file_name(file_number);
}

std::string ConsumeQueueFiles::time_path(const QueueName& name, std::int64_t file_number) const {
  return queue_directory(name) + "-" + queue_file_name(file_number) + ".times";
}

Result<std::shared_ptr<File>> ConsumeQueueFiles::open_to_write(const QueueName& name, const std::string& path) {
  auto file = open_files_.open_to_write(path, true);
  if (file.has_value() || !is_missing(file.error())) return file;
  TRY_DO(files_.make_directory(queue_directory(name)));
  return open_files_.open_to_write(path, true);
}

Result<void> ConsumeQueueFiles::write_in_one_file(const QueueName& name, Offset first, Offset end, RunEncoder& units) {
  const UnitPlace place = place_of(first.value);
  TRY(const std::shared_ptr<File> file, open_to_write(name, unit_path(name, place.file_number)));
  TRY_DO(fill_up(*file, place.at_bytes, buffer_));
  std::uint64_t at = place.at_bytes;
  for (auto left = static_cast<std::size_t>(end.value - first.value); left > 0;) {
    const std::size_t count = std::min(left, kBufferUnits);
    const MutableBytes piece = MutableBytes(buffer_).first(count * kQueueUnitBytes);
    units.encode(piece);
    TRY_DO(file->write(at, piece));
    at += piece.size();
    left -= count;
  }
  return protocol::ok();
}

/// Of the pages that become whole with these units.
Result<void> ConsumeQueueFiles::write_times(const QueueName& name, const QueueWrite& units) {
  std::int64_t page = page_of(units.first);
  const std::int64_t pages_end = page_of(units.end);
  while (page < pages_end) {
    const std::int64_t file_number = page / kFilePages;
    const std::int64_t count = std::min(pages_end, (file_number + 1) * kFilePages) - page;
    std::array<std::byte, static_cast<std::size_t>(kFilePages) * kQueueTimeBytes> times;
    for (std::int64_t i = 0; i < count; ++i)
      encode_time(page_begin(page + i), page_timestamp(units, page + i), time_slot(times, i));
    TRY(const std::shared_ptr<File> file, open_to_write(name, time_path(name, file_number)));
    const auto at = static_cast<std::uint64_t>(page % kFilePages) * kQueueTimeBytes;
    TRY_DO(file->write(at, std::span(times).first(static_cast<std::size_t>(count) * kQueueTimeBytes)));
    page += count;
  }
  return protocol::ok();
}

/// One that is not there is removed already.
Result<void> ConsumeQueueFiles::remove_file(const std::string& path) {
  open_files_.forget(path);
  const Result<void> removed = files_.remove_file(path);
  if (removed.has_error() && !is_missing(removed.error())) return removed.error();
  return protocol::ok();
}

}  // namespace braid::storage
