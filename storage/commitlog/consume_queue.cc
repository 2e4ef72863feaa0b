#include "storage/commitlog/consume_queue.h"

#include <algorithm>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "storage/commitlog/consume_queue_format.h"

namespace braid::storage {
namespace {

using protocol::check;

bool on_page_begin(Offset offset) { return offset.value % kQueuePageUnits == 0; }

}  // namespace

ConsumeQueue::ConsumeQueue(Offset begin) : begin_(begin), written_end_(begin), end_(begin) {
  check(begin.value >= 0 && begin.value <= kQueueOffsetEnd, "a queue begins at an offset");
}

ConsumeQueue ConsumeQueue::restored(Offset begin, Offset end) {
  check(begin <= end && end.value <= kQueueOffsetEnd, "a queue ends where it begins, or later");
  ConsumeQueue queue(begin);
  queue.written_end_ = end;
  queue.end_ = end;
  if (begin < end && !on_page_begin(end)) queue.page_timestamp_ = kUnknownTimestamp;
  return queue;
}

void ConsumeQueue::append(const QueuedEntry& entry, std::int32_t count) { append_run(entry, 0, count); }

void ConsumeQueue::append(const QueuedEntry& entry, std::span<const std::int64_t> tag_hashes) {
  while (!tag_hashes.empty()) {
    const std::int64_t tag_hash = tag_hashes.front();
    const auto other = std::ranges::find_if(tag_hashes, [&](std::int64_t hash) { return hash != tag_hash; });
    const auto count = static_cast<std::size_t>(other - tag_hashes.begin());
    append_run(entry, tag_hash, static_cast<std::int64_t>(count));
    tag_hashes = tag_hashes.subspan(count);
  }
}

void ConsumeQueue::append_run(const QueuedEntry& entry, std::int64_t tag_hash, std::int64_t count) {
  check(entry.position.value >= 0 && entry.size_bytes > 0, "an entry lies in the log");
  push({.first = end_,
        .position = entry.position,
        .tag_hash = tag_hash,
        .timestamp_max = entry.timestamp_max,
        .size_bytes = entry.size_bytes},
       count);
}

void ConsumeQueue::append_lost(std::int64_t count) {
  push({.first = end_, .position = LogPosition{0}, .timestamp_max = kNoTimestamp, .size_bytes = 0}, count);
}

std::optional<ConsumeQueue::Found> ConsumeQueue::find(Offset offset) const {
  check(begin_ <= offset && offset < end_, "the queue holds the offset");
  if (offset < written_end_) return std::nullopt;
  const std::uint32_t index = runs_.find(offset);
  return Found{.run = runs_[index], .end = end_of(index)};
}

std::optional<Offset> ConsumeQueue::find_time(std::int64_t timestamp, Offset from) const {
  if (from >= end_ || runs_.empty()) return std::nullopt;
  from = std::max(from, written_end_);
  for (std::uint32_t index = runs_.find(from); index < runs_.size(); ++index) {
    if (runs_[index].timestamp_max >= timestamp) return std::max(from, runs_[index].first);
  }
  return std::nullopt;
}

bool ConsumeQueue::take(LogPosition log_synced, QueueWrite& write) {
  check(taken_end_.value == kNothingTaken, "one write-out at a time");
  write.runs.clear();
  write.first = written_end_;
  write.end = written_end_;
  write.page_timestamp = page_timestamp_;
  const Offset limit{written_end_.value + protocol::kQueueWriteUnitsMax};
  for (std::uint32_t index = 0; index < runs_.size() && write.end < limit; ++index) {
    const QueueRun& run = runs_[index];
    if (run.position.value > log_synced.value - run.size_bytes) break;  // lost units lie at 0
    write.runs.push_back(run);
    write.end = std::min(end_of(index), limit);
  }
  if (write.runs.empty()) return false;
  taken_end_ = write.end;
  return true;
}

void ConsumeQueue::written() {
  check(taken_end_.value != kNothingTaken, "something was taken");
  const Offset end = std::max(written_end_, taken_end_);
  page_timestamp_ = page_timestamp_at(end);
  drop_front(end);
  written_end_ = end;
  taken_end_.value = kNothingTaken;
}

void ConsumeQueue::give_back() {
  check(taken_end_.value != kNothingTaken, "something was taken");
  taken_end_.value = kNothingTaken;
}

void ConsumeQueue::truncate(Offset end) {
  check(begin_ <= end && end <= end_, "a queue is cut within itself");
  while (!runs_.empty() && runs_.back().first >= end) runs_.pop_back();
  end_ = end;
  taken_end_ = std::min(taken_end_, end);
  if (end >= written_end_) return;
  written_end_ = end;
  page_timestamp_ = on_page_begin(end) ? kNoTimestamp : kUnknownTimestamp;
}

void ConsumeQueue::trim(Offset begin) {
  check(begin_ <= begin && begin <= end_, "a queue is trimmed within itself");
  begin_ = begin;
  if (begin <= written_end_) return;
  drop_front(begin);
  written_end_ = begin;
  page_timestamp_ = kNoTimestamp;
}

void ConsumeQueue::reset(Offset begin) {
  check(begin.value >= 0 && begin.value <= kQueueOffsetEnd, "a queue begins at an offset");
  const Offset taken_end = std::min(taken_end_, begin);
  runs_.clear();
  begin_ = written_end_ = end_ = begin;
  taken_end_ = taken_end;
  page_timestamp_ = kNoTimestamp;
}

void ConsumeQueue::push(const QueueRun& run, std::int64_t count) {
  check(count > 0 && count <= kQueueOffsetEnd - end_.value, "a queue grows within its range");
  check(runs_.empty() || run.size_bytes == 0 || runs_.back().position <= run.position, "entries come in log order");
  runs_.push_back(run);
  end_.value += count;
}

Offset ConsumeQueue::end_of(std::uint32_t index) const {
  return index + 1 < runs_.size() ? runs_[index + 1].first : end_;
}

/// Takes what lies below `to` out of memory.
void ConsumeQueue::drop_front(Offset to) {
  while (!runs_.empty() && end_of(0) <= to) runs_.pop_front();
  if (!runs_.empty() && runs_.front().first < to) runs_.front().first = to;
}

/// What page_timestamp_ will be when the units below `end` are written.
std::int64_t ConsumeQueue::page_timestamp_at(Offset end) const {
  if (on_page_begin(end)) return kNoTimestamp;
  const Offset page_begin{end.value - end.value % kQueuePageUnits};
  std::int64_t greatest = page_begin > written_end_ ? kNoTimestamp : page_timestamp_;
  if (end == written_end_) return greatest;
  for (std::uint32_t index = runs_.find(std::max(page_begin, written_end_)); index < runs_.size(); ++index) {
    if (runs_[index].first >= end) break;
    greatest = std::max(greatest, runs_[index].timestamp_max);
  }
  return greatest;
}

}  // namespace braid::storage
