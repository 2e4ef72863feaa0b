#include "storage/commitlog/queue_rebuild.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "protocol/base/limits.h"

namespace braid::storage {

QueueRebuild::QueueRebuild(FileSystem& files, LogGeometry geometry, std::uint32_t seed, std::set<LogPosition> existing,
                           Options options)
    : geometry_(geometry),
      options_(std::move(options)),
      generation_(options_.identity->generation.load()),
      scan_(files, geometry, seed, std::move(existing)),
      at_(options_.from),
      queue_(options_.begin) {}

Result<void> QueueRebuild::step(ConsumeQueueFiles& queues) {
  const LogPosition stop{std::min(at_.value + protocol::kQueueRebuildStepBytes, options_.to.value)};
  while (at_ < stop) {
    const LogPosition at = geometry_.entry_after(at_);
    const LogScan::Found found = scan_.at(at);
    const bool has_header = found.verdict == LogScan::Verdict::kEntry || found.verdict == LogScan::Verdict::kBadPayload;
    if (has_header && found.header.incarnation >= incarnation_) {
      take(found);
      at_ = found.header.end();
      continue;
    }
    const auto on = scan_.next(LogPosition{at.value + kEntryAlignmentBytes}, options_.to);
    at_ = on ? on->header.position : options_.to;
  }
  // Offsets that no entry names any more are lost, but their units are not what was damaged.
  if (done() && queue_.end() < options_.end) queue_.append_lost(options_.end.value - queue_.end().value);
  return write_out(queues);
}

void QueueRebuild::take(const LogScan::Found& found) {
  const EntryHeader& header = found.header;
  incarnation_ = header.incarnation;
  if (header.topic != options_.identity->topic || header.queue != options_.identity->queue) return;
  if (header.type == EntryType::kTruncated || header.type == EntryType::kBatch) cut(header.base);
  if (header.type == EntryType::kBatch) append(header, found);
}

void QueueRebuild::cut(Offset end) {
  if (end < queue_.end()) queue_.truncate(std::max(end, queue_.begin()));
}

void QueueRebuild::append(const EntryHeader& header, const LogScan::Found& found) {
  const Offset end{header.base.value + header.count};
  if (header.count <= 0 || end <= queue_.end()) return;  // below the queue's begin
  if (header.base > queue_.end()) queue_.append_lost(header.base.value - queue_.end().value);
  std::vector<std::int64_t> tags;
  if (options_.tags && found.verdict == LogScan::Verdict::kEntry)
    tags = options_.tags(payload_of(header, found.entry), options_.indexing);
  const QueuedEntry entry{header.position, header.size_bytes, header.timestamp_max};
  const std::int64_t count = end.value - queue_.end().value;
  if (static_cast<std::int64_t>(tags.size()) == header.count) {
    queue_.append(entry, std::span(tags).last(static_cast<std::size_t>(count)));
  } else {
    queue_.append(entry, static_cast<std::int32_t>(count));
  }
}

Result<void> QueueRebuild::write_out(ConsumeQueueFiles& queues) {
  const PartitionIdentity& identity = *options_.identity;
  QueueWrite units;
  while (queue_.take(options_.to, units)) {
    const auto written = queues.write({identity.topic, identity.name, identity.queue}, units);
    if (written.has_error()) {
      queue_.give_back();
      return written;
    }
    queue_.written();
  }
  return protocol::ok();
}

}  // namespace braid::storage
