#include "storage/commitlog/replay.h"

#include <algorithm>

#include "storage/errors.h"

namespace braid::storage {

using Verdict = LogScan::Verdict;

Result<void> Replay::run(LogPosition from) {
  end_ = from;
  while (true) {
    const LogPosition at = geometry_.entry_after(end_);
    const LogScan::Found found = scan_.at(at);
    if (found.verdict == Verdict::kNewer && found.header.incarnation >= state_.incarnation())
      return make_error_code(StorageErrc::foreign);
    if (found.verdict == Verdict::kEntry && !is_stale(found.header)) {
      apply(found);
      end_ = found.header.end();
      if (step_) TRY_DO(step_());
      continue;
    }
    const auto on = found.verdict == Verdict::kMissing ? behind_missing(at) : behind_bad(at, found);
    if (!on) return protocol::ok();
    end_ = *on;
  }
}

void Replay::apply(const LogScan::Found& found) {
  std::vector<std::int64_t> tags;
  const EntryHeader& header = found.header;
  const ByteView payload = header.type == EntryType::kFiller ? ByteView{} : payload_of(header, found.entry);
  if (header.type == EntryType::kBatch && tags_ && found.verdict == Verdict::kEntry) {
    const auto id = state_.find(header.topic, header.queue);
    tags = tags_(payload, id ? state_.partition(*id)->indexing : 0);
    if (static_cast<std::int64_t>(tags.size()) != header.count) tags.clear();
  }
  if (header.synced) synced_ = std::max(synced_, *header.synced);
  state_.apply(header, payload, tags, header.position);
}

std::optional<LogPosition> Replay::behind_missing(LogPosition missing) {
  const auto later = scan_.existing().upper_bound(missing);
  if (later == scan_.existing().end()) return std::nullopt;
  // A file with nothing valid in it was only prepared: it proves nothing about the missing one.
  const auto first = scan_.next(*later, LogPosition{later->value + geometry_.file_bytes});
  if (!first || is_stale(first->header)) return std::nullopt;
  report_.add({RecoveryFinding::Kind::kMissingFile, log_file_path(geometry_.file_of(missing)), missing,
               later->value - missing.value});
  return *later;
}

std::optional<LogPosition> Replay::behind_bad(LogPosition bad, const LogScan::Found& found) {
  const bool whole_header = found.verdict == Verdict::kBadPayload && !is_stale(found.header);
  const EntryHeader header = found.header;
  if (bad >= synced_ && !proven_synced(bad)) return std::nullopt;
  const std::string path = log_file_path(geometry_.file_of(bad));
  if (whole_header) {
    report_.add({RecoveryFinding::Kind::kBadEntry, path, bad, header.size_bytes});
    if (header.type == EntryType::kBatch) state_.apply(header, {}, {}, header.position);
    return header.end();
  }
  const auto on = next_valid(LogPosition{bad.value + kEntryAlignmentBytes});
  report_.add({RecoveryFinding::Kind::kBadEntry, path, bad, on ? on->value - bad.value : 0});
  return on;
}

bool Replay::proven_synced(LogPosition bad) {
  const LogPosition limit{bad.value + proof_bytes_};
  LogPosition from{bad.value + kEntryAlignmentBytes};
  const std::uint32_t incarnation = state_.incarnation();
  const auto proves = [&](const EntryHeader& header) {
    return header.incarnation >= incarnation && header.synced && *header.synced > bad;
  };
  while (const auto found = scan_.next(from, limit)) {
    if (proves(found->header)) {
      synced_ = std::max(synced_, *found->header.synced);
      return true;
    }
    from.value = found->header.position.value + kEntryAlignmentBytes;
  }
  // A later file was begun only after this one was synced; its first entry says so.
  for (const LogPosition file : scan_.existing()) {
    if (file <= geometry_.file_of(bad)) continue;
    const LogScan::Found first = scan_.at(geometry_.entry_after(file));
    if (first.verdict == Verdict::kEntry && proves(first.header)) {
      synced_ = std::max(synced_, *first.header.synced);
      return true;
    }
  }
  return false;
}

std::optional<LogPosition> Replay::next_valid(LogPosition from) {
  const LogPosition limit =
      scan_.existing().empty() ? from : LogPosition{scan_.existing().rbegin()->value + geometry_.file_bytes};
  while (const auto found = scan_.next(from, limit)) {
    if (!is_stale(found->header)) return found->header.position;
    from.value = found->header.position.value + kEntryAlignmentBytes;
  }
  return std::nullopt;
}

}  // namespace braid::storage
