#include "storage/commitlog/log_reader.h"

#include <algorithm>
#include <array>

#include "protocol/base/limits.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/errors.h"

namespace braid::storage {
namespace {

/// A lost record has a size of 0: its extent ends a read.
void add(std::vector<Extent>& extents, LogPosition begin, std::int32_t size_bytes) {
  if (extents.empty() || extents.back().begin != begin || size_bytes == 0) extents.push_back({begin, size_bytes});
}

}  // namespace

std::shared_ptr<const PlannedRead> plan_of(const ShardPartition& partition, const ReadRequest& request,
                                           LogPosition written) {
  auto planned = std::make_shared<PlannedRead>();
  planned->identity = partition.identity;
  const ConsumeQueue& queue = partition.queue;
  const Offset end = std::min(request.end, queue.end());
  planned->files_end = std::min(queue.written_end(), end);
  constexpr std::size_t kOfMostReads = 16;
  planned->extents.reserve(kOfMostReads);
  std::size_t bytes = 0;
  for (Offset at = std::max(request.from, queue.written_end()); at < end;) {
    const auto found = queue.find(at);
    if (!found || found->run.position.value + found->run.size_bytes > written.value) break;
    add(planned->extents, found->run.position, found->run.size_bytes);
    bytes += static_cast<std::size_t>(found->run.size_bytes);
    if (bytes > request.bytes_max || found->run.size_bytes == 0) break;
    at = found->end;
  }
  return planned;
}

Result<ReadBatches> LogReader::read(const ReadPlan& plan) {
  const auto& planned = *static_cast<const PlannedRead*>(plan.source.get());
  Result<ReadBatches> found = fetch_planned(plan, planned);
  // Whatever was found, or not found, is of no partition that there is now.
  if (planned.identity->generation.load() != plan.generation) return make_error_code(StorageErrc::stale_read);
  // Trimmed since it was planned: the files that it needs may be gone, and nothing is damaged.
  if (found.has_error() && plan.request.from.value < planned.identity->start.load())
    return make_error_code(StorageErrc::offset_out_of_range);
  return found;
}

Result<std::vector<Extent>> LogReader::extents_of(const ReadPlan& plan, const PlannedRead& planned) {
  bool files_complete = true;
  std::vector<Extent> extents;
  if (plan.request.from < planned.files_end) {
    TRY(extents, extents_in_files(plan, planned, files_complete));
  }
  std::size_t bytes = 0;
  for (const Extent& extent : extents) bytes += static_cast<std::size_t>(extent.size_bytes);
  for (const Extent& extent : planned.extents) {
    if (!files_complete || (!extents.empty() && bytes > plan.request.bytes_max)) break;
    add(extents, extent.begin, extent.size_bytes);
    bytes += static_cast<std::size_t>(extent.size_bytes);
  }
  return extents;
}

Result<ReadBatches> LogReader::fetch_planned(const ReadPlan& plan, const PlannedRead& planned) {
  // Without anything in the queue's files the plan says it all.
  std::vector<Extent> with_files;
  if (plan.request.from < planned.files_end) {
    TRY(with_files, extents_of(plan, planned));
  }
  const std::span<const Extent> extents = plan.request.from < planned.files_end ? with_files : planned.extents;
  ReadBatches result;
  result.batches.reserve(extents.size());
  std::size_t memory = 0;
  for (const Extent& extent : extents) memory += static_cast<std::size_t>(extent.size_bytes);
  result.memory.resize(memory);
  std::size_t used = 0;
  std::size_t batch_bytes = 0;
  std::optional<Offset> next;  // where the batch before ended
  for (std::size_t i = 0; i < extents.size();) {
    const std::size_t count = fetch_some(extents.subspan(i), MutableBytes(result.memory).subspan(used));
    const auto group = extents.subspan(i, std::max<std::size_t>(count, 1));
    for (const Extent& extent : group) {
      const auto entry = ByteView(result.memory).subspan(used, static_cast<std::size_t>(extent.size_bytes));
      if (count == 0 || !is_right(planned, extent, entry, plan.request.from, next)) {
        if (!leads_there(planned, entry, extent, next.value_or(plan.request.from))) doubt_unless_trimmed(plan, planned);
        if (result.batches.empty()) return make_error_code(StorageErrc::corrupt);
        return result;
      }
      const EntryHeader header = read_header(entry, options_.seed, extent.begin).header;
      const ByteView batch = payload_of(header, entry);
      // Here the answer ends: a smaller batch behind this one would leave a hole.
      if (!result.batches.empty() && batch_bytes + batch.size() > plan.request.bytes_max) return result;
      batch_bytes += batch.size();
      result.batches.push_back(batch);
      next = Offset{header.base.value + header.count};
      used += entry.size();
    }
    i += count;
  }
  return result;
}

Result<std::vector<Extent>> LogReader::extents_in_files(const ReadPlan& plan, const PlannedRead& planned,
                                                        bool& complete) {
  const QueueName name{planned.identity->topic, planned.identity->name, planned.identity->queue};
  std::vector<Extent> extents;
  std::size_t bytes = 0;
  std::array<QueueUnit, protocol::kReadUnits> units;
  Offset at = plan.request.from;
  complete = false;
  std::size_t count_max = units.size();
  while (at < planned.files_end) {
    const std::size_t count = std::min(count_max, static_cast<std::size_t>(planned.files_end.value - at.value));
    const auto some = std::span(units).first(count);
    if (queues_.read(name, at, some).has_error()) {
      // One bad unit fails all: halved until it stands alone, what comes before it is served.
      if (count == 1) {
        doubt_unless_trimmed(plan, planned);
        if (!extents.empty()) return extents;
        return make_error_code(answer_without_units(*planned.identity));
      }
      count_max = count / 2;
      continue;
    }
    for (const QueueUnit& unit : some) {
      if (!is_possible(unit)) {
        // Nothing is allocated because a damaged unit says so: here the read ends.
        doubt_unless_trimmed(plan, planned);
        if (extents.empty()) return make_error_code(answer_without_units(*planned.identity));
        add(extents, LogPosition{unit.position}, 0);
        return extents;
      }
      const bool is_new = extents.empty() || extents.back().begin.value != unit.position;
      if (is_new && bytes > plan.request.bytes_max) return extents;
      if (is_new) bytes += static_cast<std::size_t>(unit.size_bytes);
      add(extents, LogPosition{unit.position}, unit.size_bytes);
    }
    at.value += static_cast<std::int64_t>(count);
  }
  complete = at >= planned.files_end;
  return extents;
}

bool LogReader::is_possible(const QueueUnit& unit) const {
  const std::int64_t file_bytes = options_.geometry.file_bytes;
  if (unit.position < 0 || unit.position > INT64_MAX - file_bytes) return false;
  const std::int64_t place = options_.geometry.place_in_file(LogPosition{unit.position});
  return unit.size_bytes >= kEntryHeaderBytes && unit.size_bytes <= options_.entry_bytes_max &&
         place >= kSuperblockBytes && unit.size_bytes <= file_bytes - place;
}

std::size_t LogReader::fetch_some(std::span<const Extent> extents, MutableBytes into) {
  std::size_t count = neighbours(extents);
  // What can't be read must not take its neighbours with it.
  while (count > 0) {
    std::size_t bytes = 0;
    for (const Extent& extent : extents.first(count)) bytes += static_cast<std::size_t>(extent.size_bytes);
    if (bytes != 0 && fetch(extents.first(count), into.first(bytes)).has_value()) return count;
    count = count > 1 ? 1 : 0;
  }
  return 0;
}

std::size_t LogReader::neighbours(std::span<const Extent> extents) const {
  std::size_t count = 1;
  std::int64_t bytes = extents[0].size_bytes;
  while (count < extents.size()) {
    const LogPosition end{extents[count - 1].begin.value + extents[count - 1].size_bytes};
    const Extent& next = extents[count];
    const std::int64_t gap = next.begin.value - end.value;
    const bool same_file = options_.geometry.file_of(next.begin) == options_.geometry.file_of(extents[0].begin);
    bytes += gap + next.size_bytes;
    if (next.size_bytes == 0 || gap < 0 || gap > protocol::kReadGapBytesMax || !same_file ||
        bytes > protocol::kReadOnceBytesMax)
      break;
    ++count;
  }
  return count;
}

Result<void> LogReader::fetch(std::span<const Extent> extents, MutableBytes into) {
  std::size_t at = 0;
  bool in_tail = true;
  for (const Extent& extent : extents) {
    const auto size = static_cast<std::size_t>(extent.size_bytes);
    in_tail = in_tail && tail_.copy(extent.begin, into.subspan(at, size));
    at += size;
  }
  if (in_tail) return protocol::ok();

  const LogPosition begin = extents.front().begin;
  const LogPosition end{extents.back().begin.value + extents.back().size_bytes};
  TRY(const std::shared_ptr<File> file, log_files_.open_to_read(log_file_path(options_.geometry.file_of(begin))));
  const auto place = static_cast<std::uint64_t>(options_.geometry.place_in_file(begin));
  if (end.value - begin.value == static_cast<std::int64_t>(into.size())) {
    TRY(const std::size_t read, file->read(place, into));
    return read == into.size() ? protocol::ok() : Result<void>(make_error_code(StorageErrc::corrupt));
  }
  protocol::Bytes region(static_cast<std::size_t>(end.value - begin.value));
  TRY(const std::size_t read, file->read(place, region));
  if (read != region.size()) return make_error_code(StorageErrc::corrupt);
  at = 0;
  for (const Extent& extent : extents) {
    const auto size = static_cast<std::size_t>(extent.size_bytes);
    std::ranges::copy(ByteView(region).subspan(static_cast<std::size_t>(extent.begin.value - begin.value), size),
                      into.subspan(at).begin());
    at += size;
  }
  return protocol::ok();
}

/// Whether the unit was right though what it leads to is damaged: then a new queue would say the same.
bool LogReader::leads_there(const PlannedRead& planned, ByteView entry, const Extent& extent, Offset due) const {
  if (extent.size_bytes == 0) return true;  // said to be lost
  const ReadHeader read = read_header(entry, options_.seed, extent.begin);
  const EntryHeader& header = read.header;
  return read.fault == HeaderFault::kNone && header.size_bytes == extent.size_bytes &&
         header.topic == planned.identity->topic && header.queue == planned.identity->queue && header.base <= due &&
         due.value - header.base.value < header.count;
}

/// A damaged unit may lead to a whole entry, even of this partition: it must be the one that is due.
bool LogReader::is_right(const PlannedRead& planned, const Extent& extent, ByteView entry, Offset from,
                         std::optional<Offset> next) const {
  const ReadHeader read = read_header(entry, options_.seed, extent.begin);
  const EntryHeader& header = read.header;
  const bool is_due =
      next ? header.base == *next : header.base <= from && from.value - header.base.value < header.count;
  return read.fault == HeaderFault::kNone && header.type == EntryType::kBatch &&
         header.size_bytes == extent.size_bytes && header.topic == planned.identity->topic &&
         header.queue == planned.identity->queue && is_due && payload_matches(header, entry);
}

}  // namespace braid::storage
