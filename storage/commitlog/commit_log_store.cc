#include "storage/commitlog/commit_log_store.h"

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <utility>

#include "protocol/base/check.h"
#include "storage/commitlog/checkpoint.h"
#include "storage/commitlog/control_entry.h"
#include "storage/errors.h"

namespace braid::storage {
namespace {

/// Asked for with every append: it allocates nothing.
std::int64_t living_bytes(const ShardPartition& of) {
  std::int64_t bytes = 0;
  for (const Slice& slice : of.slices.living(of.start.decided())) bytes += slice.bytes;
  return bytes;
}

}  // namespace

using protocol::Bytes;
using protocol::check;
using protocol::Instant;

CommitLogStore::CommitLogStore(FileSystem& files, CommitLogOptions options, const Identity& identity,
                               std::unique_ptr<FileLock> lock, RecoveredShard recovered)
    : files_(files),
      options_(std::move(options)),
      identity_(identity),
      geometry_{identity.file_bytes},
      lock_(std::move(lock)),
      report_(std::move(recovered.report)),
      state_(std::move(recovered.state)),
      tail_(geometry_, {options_.slab_bytes, options_.tail_bytes}),
      progress_(recovered.end),
      room_({geometry_, options_.tail_bytes, options_.essential_bytes}, recovered.end),
      appender_({geometry_, identity.seed, state_.incarnation() + 1}, tail_, progress_, room_),
      log_files_(files, protocol::kOpenLogFilesMax),
      queue_files_(files, protocol::kOpenQueueFilesMax),
      queues_(files, queue_files_, "consumequeue"),
      reader_({geometry_, identity.seed, std::min(geometry_.entry_bytes_max(), identity.unsynced_bytes_max)}, tail_,
              log_files_, queues_),
      checkpoint_sequence_(recovered.checkpoint_sequence),
      checkpoint_slot_(recovered.checkpoint_slot),
      checkpointed_(report_.scanned_from),
      freed_files_(std::move(recovered.freed)),
      idle_end_(recovered.end),
      marked_end_(recovered.end) {
  // What was freed before and is still there goes when no checkpoint needs it.
  checkpoint_wanted_ = !freed_files_.empty();
  freeing_position_ = recovered.end;
  for (const auto& [id, partition] : state_.partitions())
    if (partition.queue.waiting_bytes() > options_.queue_memory_bytes) full_queues_.push_back(id);
  unchecked_queues_ = std::move(recovered.unchecked_queues);
  unchecked_slot_ = recovered.unchecked_slot;
}

Result<Created> CommitLogStore::create(const PartitionSpec& spec) {
  if (state_.find(spec.topic, spec.queue)) return make_error_code(StorageErrc::partition_exists);
  EntryHeader header;
  header.type = EntryType::kCreated;
  header.topic = spec.topic;
  header.queue = spec.queue;
  header.base = spec.start;
  TRY(const LogPosition end, control(header, encode_created(spec.indexing, spec.name)));
  return Created{*state_.find(spec.topic, spec.queue), end};
}

Result<LogPosition> CommitLogStore::remove(PartitionId partition) {
  const ShardPartition* const found = state_.partition(partition);
  if (found == nullptr) return make_error_code(StorageErrc::unknown_partition);
  TRY(const LogPosition end, control(about(*found, EntryType::kRemoved, {}), {}));
  note_dead_bytes();
  return end;
}

std::optional<PartitionId> CommitLogStore::find(const TopicId& topic, QueueId queue) const {
  return state_.find(topic, queue);
}

std::vector<PartitionId> CommitLogStore::partitions() const {
  std::vector<PartitionId> all;
  for (const auto& [id, partition] : state_.partitions()) all.push_back(id);
  return all;
}

PartitionView CommitLogStore::view(PartitionId partition) const {
  const ShardPartition* const found = state_.partition(partition);
  check(found != nullptr, "the partition exists");
  const std::int64_t size_bytes = living_bytes(*found);
  return {.topic = found->identity->topic,
          .name = found->identity->name,
          .queue = found->identity->queue,
          .indexing = found->indexing,
          .start = found->start.shown(progress_.synced()),
          .end = found->queue.end(),
          .size_bytes = size_bytes,
          .epochs = found->epochs.starts(),
          .kept_as_of = found->kept_as_of,
          .kept_state = found->kept()};
}

Result<Reservation> CommitLogStore::reserve(std::size_t bytes, Purpose purpose) {
  if (progress_.failed()) return make_error_code(StorageErrc::failed);
  room_.written(progress_.written());
  return room_.reserve(static_cast<std::int64_t>(bytes), purpose);
}

std::size_t CommitLogStore::entry_bytes(std::size_t batch_bytes) const {
  return static_cast<std::size_t>(entry_size(static_cast<std::int64_t>(batch_bytes)));
}

Appended CommitLogStore::append(PartitionId partition, const Batch& batch, Reservation& reservation) {
  ShardPartition* const to = state_.partition(partition);
  check(to != nullptr, "the partition exists");
  check(batch.epoch >= to->epochs.last(), "leader epochs don't fall");
  EntryHeader header = header_of_batch(batch.bytes);
  header.topic = to->identity->topic;
  header.queue = to->identity->queue;
  header.epoch = batch.epoch;
  header.base = to->queue.end();
  header.append_time = std::max(batch.now.milliseconds, state_.append_time());
  header = appender_.append_batch(header, batch.bytes, batch.durability == Durability::kSynced);
  reservation.spend(static_cast<std::size_t>(header.size_bytes));
  const std::size_t waiting_before = to->queue.waiting_bytes();
  state_.apply(header, {}, batch.tag_hashes, progress_.synced());
  appended_since_open_ += header.size_bytes;
  if (geometry_.place_in_file(header.position) == kSuperblockBytes) note_dead_bytes();
  note_queue_growth(partition, to->queue, waiting_before);
  return {header.base, to->queue.end(), header.position, header.end()};
}

void CommitLogStore::note_queue_growth(PartitionId partition, const ConsumeQueue& queue, std::size_t before) {
  const std::size_t waiting = queue.waiting_bytes();
  if (before <= options_.queue_memory_bytes && waiting > options_.queue_memory_bytes) full_queues_.push_back(partition);
  queue_bytes_gathered_ += waiting - before;
  if (queue_bytes_gathered_ < options_.queue_round_bytes) return;
  queue_bytes_gathered_ = 0;
  queue_round_ = true;
}

Result<LogPosition> CommitLogStore::start_epoch(PartitionId partition, LeaderEpoch epoch) {
  const ShardPartition* const of = state_.partition(partition);
  if (of == nullptr) return make_error_code(StorageErrc::unknown_partition);
  check(epoch > of->epochs.last(), "leader epochs rise");
  EntryHeader header = about(*of, EntryType::kEpochStarted, of->queue.end());
  header.epoch = epoch;
  return control(header, {});
}

Result<LogPosition> CommitLogStore::truncate(PartitionId partition, Offset end) {
  const ShardPartition* const of = state_.partition(partition);
  if (of == nullptr) return make_error_code(StorageErrc::unknown_partition);
  if (end < of->start.decided() || end > of->queue.end()) return make_error_code(StorageErrc::offset_out_of_range);
  Offset whole = end;
  if (end > of->queue.begin() && end < of->queue.end()) {
    TRY(whole, batch_base(*of, end));
    whole = std::max(whole, of->start.decided());
  }
  TRY(const LogPosition answered, control(about(*of, EntryType::kTruncated, whole), {}));
  note_dead_bytes();
  return answered;
}

Result<LogPosition> CommitLogStore::trim(PartitionId partition, Offset start) {
  const ShardPartition* const of = state_.partition(partition);
  if (of == nullptr) return make_error_code(StorageErrc::unknown_partition);
  if (start > of->queue.end()) return make_error_code(StorageErrc::offset_out_of_range);
  if (start <= of->start.decided()) return LogPosition{0};
  TRY(const LogPosition answered, control(about(*of, EntryType::kStartMoved, start), {}));
  note_dead_bytes();
  return answered;
}

Result<ReadPlan> CommitLogStore::plan_read(PartitionId partition, const ReadRequest& request) {
  const ShardPartition* const from = state_.partition(partition);
  if (from == nullptr) return make_error_code(StorageErrc::unknown_partition);
  if (request.from < from->start.decided() || request.from > from->queue.end())
    return make_error_code(StorageErrc::offset_out_of_range);
  auto planned = plan_of(*from, request, progress_.written());
  const bool from_memory =
      request.from >= planned->files_end && (planned->extents.empty() || tail_.holds(planned->extents.front().begin));
  return ReadPlan{partition, request, from->identity->generation.load(), from_memory, std::move(planned)};
}

Offset CommitLogStore::find_time(PartitionId partition, std::int64_t timestamp) const {
  const ShardPartition* const in = state_.partition(partition);
  check(in != nullptr, "the partition exists");
  const Offset start = std::max(in->start.decided(), in->start.shown(progress_.synced()));
  for (const Slice& slice : in->slices.living(start)) {
    if (slice.timestamp_max < timestamp) continue;
    const Offset from = std::max(slice.first, start);
    if (from < in->queue.written_end()) return from;
    return in->queue.find_time(timestamp, from).value_or(in->queue.end());
  }
  return in->queue.end();
}

void CommitLogStore::keep_state(PartitionId partition, Offset as_of, ByteView state) {
  ShardPartition* const of = state_.partition(partition);
  check(of != nullptr && as_of <= of->queue.end(), "state is kept of records that are there");
  of->kept_as_of = as_of;
  of->keep(state);
  kept_changed_ = true;
}

Result<LogPosition> CommitLogStore::control(EntryHeader header, ByteView payload) {
  const std::int64_t size = entry_size(static_cast<std::int64_t>(payload.size()));
  TRY(Reservation reservation, reserve(static_cast<std::size_t>(size), Purpose::kEssential));
  header.append_time = state_.append_time();
  header = appender_.append_control(header, payload);
  reservation.spend(static_cast<std::size_t>(header.size_bytes));
  state_.apply(header, payload, {}, progress_.synced());
  return header.end();
}

EntryHeader CommitLogStore::about(const ShardPartition& partition, EntryType type, Offset base) {
  EntryHeader header;
  header.type = type;
  header.topic = partition.identity->topic;
  header.queue = partition.identity->queue;
  header.base = base;
  return header;
}

/// Of the batch that holds `within`: from the queue where it is in memory, else from the entry's header.
Result<Offset> CommitLogStore::batch_base(const ShardPartition& partition, Offset within) {
  LogPosition position;
  if (within >= partition.queue.written_end()) {
    position = partition.queue.find(within)->run.position;
    if (position.value == 0) return within;  // lost records are no batch any more
  } else {
    std::array<QueueUnit, 1> unit;
    const PartitionIdentity& identity = *partition.identity;
    const auto unit_read = queues_.read({identity.topic, identity.name, identity.queue}, within, unit);
    if (unit_read.has_error()) {
      reader_.doubt(identity);
      return unit_read.error();
    }
    position = LogPosition{unit[0].position};
  }
  EntryHeaderBytes bytes;
  if (!tail_.copy(position, bytes)) {
    TRY(const std::shared_ptr<File> file, log_files_.open_to_read(log_file_path(geometry_.file_of(position))));
    TRY(const std::size_t read, file->read(static_cast<std::uint64_t>(geometry_.place_in_file(position)), bytes));
    if (read != bytes.size()) return make_error_code(StorageErrc::corrupt);
  }
  const ReadHeader read = read_header(bytes, identity_.seed, position);
  const EntryHeader& header = read.header;
  const bool is_right = read.fault == HeaderFault::kNone && header.topic == partition.identity->topic &&
                        header.queue == partition.identity->queue && header.base <= within &&
                        within.value - header.base.value < header.count;
  if (is_right) return header.base;
  reader_.doubt(*partition.identity);
  return make_error_code(StorageErrc::corrupt);
}

}  // namespace braid::storage
