#include "storage/commitlog/queue_rebuild.h"

#include <algorithm>
#include <compare>
#include <span>
#include <utility>
#include <vector>

#include "protocol/base/limits.h"

namespace braid::storage {
namespace {

struct Key {
  TopicId topic;
  QueueId queue;
  auto operator<=>(const Key&) const = default;
};

Key key_of(const PartitionIdentity& identity) { return {identity.topic, identity.queue}; }

void cut(ConsumeQueue& queue, Offset end) {
  if (end < queue.end()) queue.truncate(std::max(end, queue.begin()));
}

}  // namespace

QueueRebuild::QueueRebuild(FileSystem& files, LogGeometry geometry, std::set<LogPosition> existing, Options options,
                           std::vector<Queue> queues)
    : geometry_(geometry),
      options_(std::move(options)),
      scan_(files, geometry, options_.seed, std::move(existing)),
      at_(std::ranges::min(queues, {}, &Queue::from).from) {
  for (Queue& queue : queues) {
    const std::uint64_t generation = queue.identity->generation.load();
    const Offset begin = queue.begin;
    targets_.push_back({std::move(queue), generation, ConsumeQueue(begin)});
  }
  std::ranges::sort(targets_, {}, [](const Target& target) { return key_of(*target.of.identity); });
}

std::vector<PartitionId> QueueRebuild::drop_stale() {
  std::vector<PartitionId> stale;
  std::erase_if(targets_, [&](const Target& target) {
    const bool is_stale = target.of.identity->generation.load() != target.generation;
    if (is_stale) stale.push_back(target.of.partition);
    return is_stale;
  });
  return stale;
}

std::vector<QueueRebuild::Queue> QueueRebuild::queues() const {
  std::vector<Queue> all;
  all.reserve(targets_.size());
  for (const Target& target : targets_) all.push_back(target.of);
  return all;
}

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
  for (Target& target : targets_) {
    // Offsets that no entry names any more are lost, but their units are not what was damaged.
    if (done() && target.queue.end() < target.of.end)
      target.queue.append_lost(target.of.end.value - target.queue.end().value);
    TRY_DO(write_out(queues, target));
  }
  return protocol::ok();
}

QueueRebuild::Target* QueueRebuild::find(const EntryHeader& header) {
  const Key key{header.topic, header.queue};
  const auto found =
      std::ranges::lower_bound(targets_, key, {}, [](const Target& target) { return key_of(*target.of.identity); });
  return found != targets_.end() && key_of(*found->of.identity) == key ? &*found : nullptr;
}

void QueueRebuild::take(const LogScan::Found& found) {
  const EntryHeader& header = found.header;
  incarnation_ = header.incarnation;
  Target* const target = find(header);
  if (target == nullptr) return;
  if (header.type == EntryType::kTruncated || header.type == EntryType::kBatch) cut(target->queue, header.base);
  if (header.type == EntryType::kBatch) append(*target, found);
}

void QueueRebuild::append(Target& to, const LogScan::Found& found) {
  const EntryHeader& header = found.header;
  ConsumeQueue& queue = to.queue;
  const Offset end{header.base.value + header.count};
  if (header.count <= 0 || end <= queue.end()) return;  // below the queue's begin
  if (header.base > queue.end()) queue.append_lost(header.base.value - queue.end().value);
  std::vector<std::int64_t> tags;
  if (options_.tags && found.verdict == LogScan::Verdict::kEntry)
    tags = options_.tags(payload_of(header, found.entry), to.of.indexing);
  const QueuedEntry entry{header.position, header.size_bytes, header.timestamp_max};
  const std::int64_t count = end.value - queue.end().value;
  if (static_cast<std::int64_t>(tags.size()) == header.count) {
    queue.append(entry, std::span(tags).last(static_cast<std::size_t>(count)));
  } else {
    queue.append(entry, static_cast<std::int32_t>(count));
  }
}

Result<void> QueueRebuild::write_out(ConsumeQueueFiles& queues, Target& target) {
  const PartitionIdentity& identity = *target.of.identity;
  QueueWrite units;
  while (target.queue.take(options_.to, units)) {
    const auto written = queues.write({identity.topic, identity.name, identity.queue}, units);
    if (written.has_error()) {
      target.queue.give_back();
      return written;
    }
    target.queue.written();
  }
  return protocol::ok();
}

}  // namespace braid::storage
