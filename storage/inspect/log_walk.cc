#include "storage/inspect/log_walk.h"

#include <algorithm>
#include <memory>
#include <string>

#include "storage/commitlog/topic_directory.h"
#include "storage/commitlog/torn_tail.h"
#include "storage/inspect/entry_text.h"

namespace braid::storage {

using Verdict = LogScan::Verdict;

LogWalk::LogWalk(FileSystem& files, const LogSource& source, InspectOutput& out)
    : files_(files), source_(source), out_(out) {
  scan_.emplace(source_.scan(files_));
}

void LogWalk::run(const Range& range, const Visit& visit) {
  std::optional<LogPosition> expected;
  proven_ = range.proven;
  for (const auto& [file, path] : source_.paths) {
    const LogPosition file_end = source_.geometry.next_file(file);
    if (file_end <= range.from) continue;
    if (file >= range.to || stopped_ || reached_end_ || out_.enough()) break;
    if (expected && *expected < file)
      out_.note("no files from position " + std::to_string(expected->value) + " to " + std::to_string(file.value - 1) +
                ": freed, or lost (`verify` knows)");
    expected = file_end;
    check_superblock(files_, source_, file, out_);
    out_.progress(path);
    walk_file(file, range, visit);
  }
  tell_lost_end(range);
}

void LogWalk::walk_file(LogPosition file, const Range& range, const Visit& visit) {
  const LogPosition from = range.from;
  const LogPosition to = range.to;
  const LogPosition first{file.value + kSuperblockBytes};
  const LogPosition file_end = source_.geometry.next_file(file);
  LogPosition at = first;
  if (from > first) {
    // Nobody knows whether an entry begins there: the next one that does counts.
    const auto next = next_good(LogPosition{round_up(from.value, kEntryAlignmentBytes)}, file_end);
    if (!next) return;
    at = *next;
  }
  while (at < std::min(file_end, to) && !out_.enough()) {
    const LogScan::Found found = look(at);
    if (!is_good(found)) {
      const auto on = skip(at, found);
      if (!on) return;
      at = *on;
      continue;
    }
    const LogPosition entry_end = found.header.end();
    if (found.verdict == Verdict::kBadPayload) {
      const std::string what = payload_fault(found);
      if (!next_good(entry_end, file_end) && !goes_on_behind(at)) return tell_end(at);
      told_end_ = entry_end;
      out_.finding(source_.finding(what, at, found.header.size_bytes));
    }
    const LogScan::Found again = found.verdict == Verdict::kBadPayload ? scan_->at(at) : found;
    incarnation_ = std::max(incarnation_, found.header.incarnation);
    end_ = entry_end;
    stopped_ = !visit(again);
    if (stopped_) return;
    at = entry_end;
  }
}

std::optional<LogPosition> LogWalk::skip(LogPosition bad, const LogScan::Found& found) {
  const LogPosition file_end = source_.geometry.next_file(bad);
  if (found.verdict != Verdict::kMissing) {
    const auto still_there = files_.open(source_.path_of(bad), {.mode = OpenMode::kRead});
    if (still_there.has_error() && is_missing(still_there.error())) {
      out_.note(source_.path_of(bad) + " went away meanwhile");
      return std::nullopt;
    }
  }
  const std::string what = words_for(bad, found.verdict);
  const auto on = next_good(LogPosition{bad.value + kEntryAlignmentBytes}, file_end);
  if (!on && !goes_on_behind(bad)) {
    tell_end(bad);
    return std::nullopt;
  }
  told_end_ = on ? *on : file_end;
  out_.finding(source_.finding(what, bad, told_end_.value - bad.value));
  return on;
}

/// What is no entry at the first look may be one that was being written: the file is read again.
LogScan::Found LogWalk::look(LogPosition at) {
  const LogScan::Found found = scan_->at(at);
  if (is_good(found) && found.verdict == Verdict::kEntry) return found;
  scan_.emplace(source_.scan(files_));
  return scan_->at(at);
}

bool LogWalk::is_good(const LogScan::Found& found) const {
  return (found.verdict == Verdict::kEntry || found.verdict == Verdict::kBadPayload) &&
         found.header.incarnation >= incarnation_;
}

std::optional<LogPosition> LogWalk::next_good(LogPosition from, LogPosition to) {
  while (const auto found = scan_->next(from, to)) {
    if (is_good(*found)) return found->header.position;
    from.value = found->header.position.value + kEntryAlignmentBytes;
  }
  return std::nullopt;
}

/// It was once whole, or a later file has entries.
bool LogWalk::goes_on_behind(LogPosition bad) {
  if (bad < proven_) return true;
  for (auto later = source_.paths.upper_bound(source_.geometry.file_of(bad)); later != source_.paths.end(); ++later)
    if (next_good(later->first, source_.geometry.next_file(later->first))) return true;
  return false;
}

void LogWalk::tell_end(LogPosition at) {
  reached_end_ = true;
  const LogPosition last = source_.geometry.next_file(source_.paths.rbegin()->first);
  const auto torn_end = find_torn_tail(*scan_, at, last).end;
  std::string line = "the log ends at position " + std::to_string(at.value);
  if (torn_end)
    line += "; " + std::to_string(torn_end->value - at.value) +
            " bytes lie behind it: a write under way, or a torn one that the next start keeps aside";
  out_.note(line);
}

void LogWalk::tell_lost_end(const Range& range) {
  const bool went_to_the_end = !stopped_ && !out_.enough() && range.to > proven_ && range.from < proven_;
  if (!went_to_the_end || std::max(end_, told_end_) >= proven_) return;
  out_.finding({.what = "the log ends before position " + std::to_string(proven_.value) + ", up to which it was synced",
                .position = end_});
}

std::string LogWalk::words_for(LogPosition bad, Verdict verdict) {
  if (verdict == Verdict::kNewer) return "an entry of a type that this program does not know: a newer one wrote it";
  if (verdict == Verdict::kMissing) return "the file can't be opened";
  if (verdict == Verdict::kEntry || verdict == Verdict::kBadPayload)
    return "an entry of an earlier incarnation, left from before a cut";
  const auto file = files_.open(source_.path_of(bad), {.mode = OpenMode::kRead});
  if (file.has_error()) return file.error().message();
  EntryHeaderBytes bytes;
  const auto read = (*file)->read(static_cast<std::uint64_t>(source_.geometry.place_in_file(bad)), bytes);
  if (read.has_error()) return read.error().message();
  if (*read < bytes.size()) return "the file ends before the log does";
  const bool is_blank = std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
  return is_blank ? "zeros where an entry should be" : "no valid entry";
}

}  // namespace braid::storage
