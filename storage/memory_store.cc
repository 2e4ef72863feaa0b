#include "storage/memory_store.h"

#include <algorithm>

#include "protocol/base/check.h"
#include "protocol/records/record_batch.h"
#include "storage/errors.h"

namespace braid::storage {

using protocol::check;
using protocol::RecordBatch;

struct MemoryStore::PlannedRead {
  std::shared_ptr<const std::atomic<std::uint64_t>> generation;
  std::vector<std::shared_ptr<const Bytes>> batches;
};

MemoryStore::Partition* MemoryStore::living(PartitionId partition) {
  const auto found = partitions_.find(partition);
  return found == partitions_.end() ? nullptr : &found->second;
}

LogPosition MemoryStore::entry(std::size_t bytes) {
  return LogPosition{end_.fetch_add(static_cast<std::int64_t>(bytes)) + static_cast<std::int64_t>(bytes)};
}

Result<Created> MemoryStore::create(const PartitionSpec& spec) {
  const PartitionId id{next_id_};
  if (!ids_.try_emplace({spec.topic, spec.queue}, id).second) return make_error_code(StorageErrc::partition_exists);
  ++next_id_;
  Partition partition{.spec = spec,
                      .start = StartOffset(spec.start),
                      .end = spec.start,
                      .epochs = {},
                      .batches = {},
                      .kept_as_of = spec.start,
                      .kept_state = {}};
  partitions_.emplace(id, std::move(partition));
  return Created{id, entry(1)};
}

Result<LogPosition> MemoryStore::remove(PartitionId partition) {
  Partition* const found = living(partition);
  if (found == nullptr) return make_error_code(StorageErrc::unknown_partition);
  found->generation->fetch_add(1);
  ids_.erase({found->spec.topic, found->spec.queue});
  partitions_.erase(partition);
  return entry(1);
}

std::optional<PartitionId> MemoryStore::find(const TopicId& topic, QueueId queue) const {
  const auto found = ids_.find({topic, queue});
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<PartitionId> MemoryStore::partitions() const {
  std::vector<PartitionId> all;
  all.reserve(partitions_.size());
  for (const auto& [id, partition] : partitions_) all.push_back(id);
  return all;
}

PartitionView MemoryStore::view(PartitionId partition) const {
  const auto found = partitions_.find(partition);
  check(found != partitions_.end(), "the partition exists");
  const Partition& known = found->second;
  std::int64_t size_bytes = 0;
  for (const StoredBatch& batch : known.batches) size_bytes += static_cast<std::int64_t>(batch.bytes->size());
  return {.topic = known.spec.topic,
          .name = known.spec.name,
          .queue = known.spec.queue,
          .indexing = known.spec.indexing,
          .start = known.start.shown(synced()),
          .end = known.end,
          .size_bytes = size_bytes,
          .epochs = known.epochs.starts(),
          .kept_as_of = known.kept_as_of,
          .kept_state = known.kept_state};
}

Result<Reservation> MemoryStore::reserve(std::size_t bytes, Purpose) { return Reservation(nullptr, bytes); }

Appended MemoryStore::append(PartitionId partition, const Batch& batch, Reservation& reservation) {
  Partition* const to = living(partition);
  check(to != nullptr, "the partition exists");
  reservation.spend(batch.bytes.size());
  auto copy = std::make_shared<Bytes>(batch.bytes.begin(), batch.bytes.end());
  const Offset base = to->end;
  protocol::stamp(*copy, base.value, batch.epoch.value);
  const RecordBatch stamped(*copy);
  to->end = Offset{stamped.next_offset()};
  to->epochs.begin(batch.epoch, base);
  const LogPosition log_end = entry(batch.bytes.size());
  to->batches.push_back({base, to->end, stamped.max_timestamp(), log_end, std::move(copy)});
  return {base, to->end, LogPosition{log_end.value - static_cast<std::int64_t>(batch.bytes.size())}, log_end};
}

Result<LogPosition> MemoryStore::start_epoch(PartitionId partition, LeaderEpoch epoch) {
  Partition* const to = living(partition);
  if (to == nullptr) return make_error_code(StorageErrc::unknown_partition);
  to->epochs.begin(epoch, to->end);
  return entry(1);
}

Result<LogPosition> MemoryStore::truncate(PartitionId partition, Offset end) {
  Partition* const to = living(partition);
  if (to == nullptr) return make_error_code(StorageErrc::unknown_partition);
  if (end < to->start.decided() || end > to->end) return make_error_code(StorageErrc::offset_out_of_range);
  to->end = end;
  while (!to->batches.empty() && to->batches.back().end > end) {
    to->end = std::clamp(to->batches.back().base, to->start.decided(), to->end);
    to->batches.pop_back();
  }
  to->generation->fetch_add(1);
  to->epochs.truncate(to->end);
  const LogPosition at = entry(1);
  if (to->kept_as_of > to->end) {
    to->kept_as_of = to->start.decided();
    to->kept_state.clear();
  }
  return at;
}

Result<LogPosition> MemoryStore::trim(PartitionId partition, Offset start) {
  Partition* const to = living(partition);
  if (to == nullptr) return make_error_code(StorageErrc::unknown_partition);
  if (start > to->end) return make_error_code(StorageErrc::offset_out_of_range);
  if (start <= to->start.decided()) return LogPosition{0};
  while (!to->batches.empty() && to->batches.front().end <= start) to->batches.pop_front();
  to->epochs.trim(start);
  const LogPosition at = entry(1);
  to->start.move(start, at, synced());
  return at;
}

Result<ReadPlan> MemoryStore::plan_read(PartitionId partition, const ReadRequest& request) {
  Partition* const from = living(partition);
  if (from == nullptr) return make_error_code(StorageErrc::unknown_partition);
  if (request.from < from->start.decided() || request.from > from->end)
    return make_error_code(StorageErrc::offset_out_of_range);
  auto planned = std::make_shared<PlannedRead>();
  planned->generation = from->generation;
  std::size_t bytes = 0;
  for (const StoredBatch& batch : from->batches) {
    if (batch.end <= request.from) continue;
    if (batch.base >= request.end || batch.log_end > synced()) break;
    if (bytes != 0 && bytes + batch.bytes->size() > request.bytes_max) break;
    planned->batches.push_back(batch.bytes);
    bytes += batch.bytes->size();
  }
  const std::uint64_t generation = from->generation->load();
  return ReadPlan{partition, request, generation, true, std::move(planned)};
}

Result<ReadBatches> MemoryStore::read(const ReadPlan& plan) {
  const auto& planned = *static_cast<const PlannedRead*>(plan.source.get());
  ReadBatches result;
  std::vector<std::size_t> begins;
  for (const auto& bytes : planned.batches) {
    begins.push_back(result.memory.size());
    result.memory.insert(result.memory.end(), bytes->begin(), bytes->end());
  }
  for (std::size_t i = 0; i < begins.size(); ++i)
    result.batches.push_back(ByteView(result.memory).subspan(begins[i], planned.batches[i]->size()));
  if (planned.generation->load() != plan.generation) return make_error_code(StorageErrc::stale_read);
  return result;
}

Offset MemoryStore::find_time(PartitionId partition, std::int64_t timestamp) const {
  const Partition& in = partitions_.at(partition);
  for (const StoredBatch& batch : in.batches)
    if (batch.timestamp_max >= timestamp) return std::max(batch.base, in.start.shown(synced()));
  return in.end;
}

void MemoryStore::keep_state(PartitionId partition, Offset as_of, ByteView state) {
  Partition* const to = living(partition);
  check(to != nullptr && as_of <= to->end, "state is kept of records that are there");
  to->kept_as_of = as_of;
  to->kept_state.assign(state.begin(), state.end());
}

Progress MemoryStore::progress() const { return {synced(), synced(), false}; }

Result<Step> MemoryStore::write_out(protocol::Instant) {
  const std::int64_t end = end_.load();
  return synced_.exchange(end) != end ? Step::kWorked : Step::kIdle;
}

}  // namespace braid::storage
