#include "storage/commitlog/shard_state.h"

#include <algorithm>

#include "protocol/base/check.h"
#include "storage/commitlog/consume_queue_format.h"

namespace braid::storage {

using protocol::check;

namespace {

/// Numbers that only a broken writer puts under a right checksum: such an entry says nothing.
bool is_possible(const EntryHeader& header, const LogGeometry& geometry) {
  switch (header.type) {
    case EntryType::kBatch:
      return header.count > 0 && header.base.value >= 0 && header.base.value <= kQueueOffsetEnd - header.count;
    case EntryType::kCreated:
    case EntryType::kStartMoved:
    case EntryType::kTruncated:
    case EntryType::kEpochStarted:
      return header.base.value >= 0 && header.base.value <= kQueueOffsetEnd;
    case EntryType::kFileFreed: {
      const LogPosition file{header.base.value};
      return file.value >= 0 && geometry.place_in_file(file) == 0 && file < geometry.file_of(header.position);
    }
    case EntryType::kFiller:
    case EntryType::kRemoved:
    case EntryType::kIncarnation:
    case EntryType::kSyncMark:
    case EntryType::kSnapshot:
      return true;
  }
  return false;
}

}  // namespace

void ShardState::apply(const EntryHeader& header, ByteView payload, std::span<const std::int64_t> tags,
                       LogPosition synced) {
  append_time_ = std::max(append_time_, header.append_time);
  incarnation_ = std::max(incarnation_, header.incarnation);
  log_files_.insert(geometry_.file_of(header.position));
  if (!is_possible(header, geometry_)) return;
  switch (header.type) {
    case EntryType::kBatch:
      return apply_batch(header, tags);
    case EntryType::kCreated:
      return apply_created(header, payload);
    case EntryType::kRemoved:
      return apply_removed(header);
    case EntryType::kStartMoved:
      return apply_start_moved(header, synced);
    case EntryType::kTruncated:
      return apply_truncated(header);
    case EntryType::kEpochStarted: {
      ShardPartition& of = spoken_of(header);
      if (header.epoch > of.epochs.last()) of.epochs.begin(header.epoch, header.base);
      return;
    }
    case EntryType::kIncarnation:
      return apply_incarnation(header);
    case EntryType::kSnapshot:
      return apply_snapshot(header, payload);
    case EntryType::kFileFreed:
      freed_.insert(LogPosition{header.base.value});
      log_files_.erase(LogPosition{header.base.value});
      for (auto& [id, partition] : partitions_) partition.slices.remove_file(LogPosition{header.base.value});
      return;
    case EntryType::kFiller:
    case EntryType::kSyncMark:
      return;
  }
}

std::optional<PartitionId> ShardState::find(const TopicId& topic, QueueId queue) const {
  const ShardPartition* const found = index_.find(topic, queue);
  return found == nullptr ? std::nullopt : std::optional(found->id);
}

ShardPartition* ShardState::partition(PartitionId id) {
  const auto found = partitions_.find(id);
  return found == partitions_.end() ? nullptr : &found->second;
}

const ShardPartition* ShardState::partition(PartitionId id) const {
  const auto found = partitions_.find(id);
  return found == partitions_.end() ? nullptr : &found->second;
}

PartitionRecord ShardState::record(const ShardPartition& partition) const {
  const auto epochs = partition.epochs.starts();
  return {.topic = partition.identity->topic,
          .queue = partition.identity->queue,
          .indexing = partition.indexing,
          .name = partition.identity->name,
          .start = partition.start.decided(),
          .end = partition.queue.end(),
          .epochs = {epochs.begin(), epochs.end()},
          .kept_as_of = partition.kept_as_of,
          .kept = {partition.kept().begin(), partition.kept().end()}};
}

ShardPartition& ShardState::create(const TopicId& topic, QueueId queue, Offset start) {
  const PartitionId id{next_id_++};
  ShardPartition& made = partitions_[id];
  made.identity = std::make_shared<PartitionIdentity>();
  made.id = id;
  made.identity->topic = topic;
  made.identity->queue = queue;
  made.start = StartOffset(start);
  made.identity->start.store(start.value);
  made.queue = ConsumeQueue(start);
  made.kept_as_of = start;
  index_.add(made);
  return made;
}

ShardPartition& ShardState::spoken_of(const EntryHeader& header) {
  if (ShardPartition* const known = index_.find(header.topic, header.queue)) return *known;
  ShardPartition& made = create(header.topic, header.queue, header.base);
  made.identity->provisional = true;
  return made;
}

void ShardState::apply_batch(const EntryHeader& header, std::span<const std::int64_t> tags) {
  ShardPartition& to = spoken_of(header);
  // The entry that cut the partition is damaged: this batch, written after it, proves the cut.
  if (header.base < to.queue.end()) truncate(to, header.base);
  if (header.base > to.queue.end()) to.queue.append_lost(header.base.value - to.queue.end().value);
  const QueuedEntry entry{header.position, header.size_bytes, header.timestamp_max};
  if (tags.empty()) {
    to.queue.append(entry, header.count);
  } else {
    check(static_cast<std::int64_t>(tags.size()) == header.count, "a tag for each offset");
    to.queue.append(entry, tags);
  }
  if (header.epoch > to.epochs.last()) to.epochs.begin(header.epoch, header.base);
  to.slices.append({.file = geometry_.file_of(header.position),
                    .bytes = header.size_bytes,
                    .first = header.base,
                    .last = Offset{header.base.value + header.count - 1},
                    .timestamp_max = header.timestamp_max,
                    .entries = 1});
}

void ShardState::apply_created(const EntryHeader& header, ByteView payload) {
  const auto created = decode_created(payload);
  if (!created) return;
  // One that is there was removed, and the entry that said so is damaged.
  if (const auto before = find(header.topic, header.queue)) erase(*before, header.end());
  ShardPartition& made = spoken_of(header);
  made.identity->provisional = false;
  made.indexing = created->indexing;
  made.identity->name = created->name;
}

void ShardState::apply_removed(const EntryHeader& header) {
  if (const auto id = find(header.topic, header.queue)) erase(*id, header.end());
}

void ShardState::erase(PartitionId id, LogPosition entry_end) {
  const auto found = partitions_.find(id);
  PartitionIdentity& identity = *found->second.identity;
  identity.generation.fetch_add(1);
  index_.remove(found->second);
  if (!identity.name.empty())
    removals_.push_back({identity.topic, identity.queue, identity.name, entry_end, !index_.has(identity.topic)});
  partitions_.erase(found);
}

void ShardState::apply_start_moved(const EntryHeader& header, LogPosition synced) {
  ShardPartition& of = spoken_of(header);
  if (header.base <= of.start.decided()) return;
  if (header.base > of.queue.end()) {
    of.queue.reset(header.base);
  } else {
    of.queue.trim(header.base);
  }
  of.epochs.trim(header.base);
  of.start.move(header.base, header.end(), synced);
  of.identity->start.store(header.base.value);
}

void ShardState::apply_truncated(const EntryHeader& header) {
  ShardPartition& of = spoken_of(header);
  if (header.base <= of.queue.end()) truncate(of, header.base);
}

void ShardState::truncate(ShardPartition& of, Offset end) {
  of.identity->generation.fetch_add(1);
  if (end < of.queue.begin()) {
    of.queue.reset(end);
  } else {
    of.queue.truncate(end);
  }
  if (end < of.start.decided()) {
    of.start = StartOffset(end);
    of.identity->start.store(end.value);
  }
  of.epochs.truncate(end);
  of.slices.truncate(end);
  if (of.kept_as_of > end) {
    of.kept_as_of = of.start.decided();
    of.keep({});
  }
}

void ShardState::apply_incarnation(const EntryHeader& header) {
  const bool after_cut = header.epoch.value == 1;
  for (auto& [id, partition] : partitions_)
    if (after_cut && partition.epochs.last().value >= 0 && partition.epochs.last().value < INT32_MAX)
      partition.epochs.begin(LeaderEpoch{partition.epochs.last().value + 1}, partition.queue.end());
}

void ShardState::apply_snapshot(const EntryHeader& header, ByteView payload) {
  const bool last = header.count == 1;
  auto piece = decode_snapshot_piece(payload, last);
  const std::int64_t number = header.base.value;
  if (!piece) return snapshot_.reset();
  if (number == 0) {
    snapshot_ = std::move(piece);
    snapshot_->first_piece = header.position;
  } else if (snapshot_ && number == snapshot_pieces_ && piece->first_piece == snapshot_->first_piece) {
    std::ranges::move(piece->partitions, std::back_inserter(snapshot_->partitions));
    snapshot_->files = std::move(piece->files);
  } else {
    return snapshot_.reset();
  }
  snapshot_pieces_ = number + 1;
  if (last) complete_snapshot();
}

void ShardState::complete_snapshot() {
  std::set<std::pair<TopicId, QueueId>> listed;
  for (const PartitionRecord& record : snapshot_->partitions) {
    listed.insert({record.topic, record.queue});
    apply_record(record);
  }
  std::vector<PartitionId> dead;
  for (const auto& [id, partition] : partitions_)
    if (!listed.contains({partition.identity->topic, partition.identity->queue})) dead.push_back(id);
  for (const PartitionId id : dead) erase(id, LogPosition{0});
  kept_ = {snapshot_->files.begin(), snapshot_->files.end()};
  snapshot_position_ = snapshot_->first_piece;
  snapshot_.reset();
}

void ShardState::apply_record(const PartitionRecord& record) {
  EntryHeader of;
  of.topic = record.topic;
  of.queue = record.queue;
  of.base = record.start;
  ShardPartition& known = spoken_of(of);
  known.identity->provisional = false;
  known.indexing = record.indexing;
  if (known.identity->name != record.name) known.identity->name = record.name;
  if (known.queue.end() < record.start) known.queue.reset(record.start);
  if (known.queue.end() < record.end) known.queue.append_lost(record.end.value - known.queue.end().value);
  if (known.queue.end() > record.end) truncate(known, record.end);
  if (record.start > known.queue.begin()) known.queue.trim(record.start);
  const Offset start = std::max(record.start, known.queue.begin());
  if (known.start.decided() != start) {
    known.start = StartOffset(start);
    known.identity->start.store(start.value);
  }
  known.epochs = EpochHistory();
  for (const EpochStart& epoch : record.epochs) known.epochs.begin(epoch.epoch, epoch.start);
  known.kept_as_of = record.kept_as_of;
  known.keep(record.kept);
}

void ShardState::restore(std::uint32_t incarnation, std::int64_t append_time) {
  incarnation_ = incarnation;
  append_time_ = append_time;
}

ShardPartition& ShardState::restore(const PartitionRecord& record, ConsumeQueue queue) {
  ShardPartition& made = create(record.topic, record.queue, record.start);
  made.indexing = record.indexing;
  made.identity->name = record.name;
  made.queue = std::move(queue);
  for (const EpochStart& epoch : record.epochs) made.epochs.begin(epoch.epoch, epoch.start);
  made.kept_as_of = record.kept_as_of;
  made.keep(record.kept);
  return made;
}

}  // namespace braid::storage
