#include "storage/commitlog/torn_tail.h"

#include <algorithm>

#include "storage/commitlog/commit_log_format.h"
#include "storage/env/aligned_buffer.h"

namespace braid::storage {
namespace {

/// In one recycled file; `from` is the log's end, or the file's begin.
std::optional<LogPosition> written_end(LogScan& scan, LogPosition from, LogPosition to) {
  std::optional<LogPosition> end;
  if (scan.geometry().place_in_file(from) != 0)
    end = scan.nonzero_end(from, LogPosition{round_up(from.value, kBlockBytes)});
  while (const auto found = scan.next(from, to)) {
    end = found->header.end();
    from = found->verdict == LogScan::Verdict::kEntry
               ? *end
               : LogPosition{found->header.position.value + kEntryAlignmentBytes};
  }
  return end;
}

bool is_blank(LogScan& scan, LogPosition from, LogPosition to) {
  for (; from < to; from.value += kBlockBytes)
    if (scan.nonzero_end(from, LogPosition{std::min(to.value, from.value + kBlockBytes)})) return false;
  return true;
}

}  // namespace

TornTail find_torn_tail(LogScan& scan, LogPosition end, LogPosition limit) {
  const LogGeometry geometry = scan.geometry();
  TornTail torn;
  for (LogPosition from = end; from < limit; from = geometry.next_file(from)) {
    const LogPosition to = std::min(geometry.next_file(from), limit);
    const bool is_recycled = scan.is_recycled(geometry.file_of(from));
    const auto found = is_recycled ? written_end(scan, from, to) : scan.nonzero_end(from, to);
    if (found) torn.end = found;
  }
  const LogPosition next = geometry.entry_after(end);
  torn.may_be_unseen =
      scan.is_recycled(geometry.file_of(next)) && !is_blank(scan, next, std::min(limit, geometry.next_file(next)));
  return torn;
}

bool is_torn_start(LogScan& scan, LogPosition end, LogPosition torn_end, std::uint32_t incarnation) {
  const LogPosition begin = scan.geometry().entry_after(end);
  EntryHeader start;
  start.size_bytes = kEntryHeaderBytes;
  start.type = EntryType::kIncarnation;
  start.position = begin;
  start.incarnation = incarnation;
  // Only the sector in which it begins can be there: with both it would be whole. And enough of it to say its type.
  constexpr std::size_t kTypeEnd = 16;
  constexpr std::size_t kKnownEnd = 52;  // what follows depends on the start
  const std::int64_t sector_end = round_up(begin.value + 1, std::int64_t{kSectorBytes});
  const std::size_t count = std::min(kKnownEnd, static_cast<std::size_t>(sector_end - begin.value));
  if (torn_end.value > sector_end || count < kTypeEnd) return false;
  const EntryHeaderBytes expected = encode(start, 0);
  const ByteView found = scan.bytes(begin, count);
  constexpr std::size_t kCrcAt = 4;
  constexpr std::size_t kCrcEnd = 8;
  return found.size() == count && std::ranges::equal(found.first(kCrcAt), ByteView(expected).first(kCrcAt)) &&
         std::ranges::equal(found.subspan(kCrcEnd), ByteView(expected).subspan(kCrcEnd, count - kCrcEnd));
}

}  // namespace braid::storage
