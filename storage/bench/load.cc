#include "storage/bench/load.h"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/base/check.h"
#include "storage/bench/heap_count.h"
#include "storage/bench/machine.h"
#include "storage/test_batch.h"

namespace braid::storage {

using protocol::check;

CommitLogOptions Load::usual_options() {
  CommitLogOptions options;
  options.new_store = {.layout = 1,
                       .store = protocol::uuid_from_halves(1, 2),
                       .cluster = protocol::uuid_from_halves(3, 4),
                       .seed = 0x01020304,
                       .file_bytes = std::int64_t{1} << 30,
                       .unsynced_bytes_max = 0};
  return options;
}

Load::Load(FileSystem& files, CommitLogOptions options, Shape shape)
    : shape_(shape), files_(files), waiting_(shape.outstanding) {
  const double begin = seconds_now();
  auto opened = CommitLogStore::open(files_, std::move(options), clock_.wall_now());
  check(opened.has_value(), "the store opens");
  open_seconds_ = seconds_now() - begin;
  store_ = *std::move(opened);
  batch_ =
      make_batch({.count = shape.records, .body_bytes = shape.batch_bytes - 61, .timestamp_max = 1'000'000, .seed = 7});
  threads_ = std::make_unique<StoreThreads>(*store_, clock_, [this] {
    told_.store(true);
    if (lane_bell_.ring()) lane_wakeups_.fetch_add(1, std::memory_order_relaxed);
  });
  for (std::uint32_t i = 0; i < shape.partitions; ++i) {
    const TopicId topic = protocol::uuid_from_halves(i / 16 + 1, 9);
    const QueueId queue{static_cast<std::int32_t>(i % 16)};
    auto id = store_->find(topic, queue);
    while (!id) {
      lane_bell_.look();
      turn_if_told();
      const auto made = store_->create(
          {.topic = topic, .name = "topic-" + std::to_string(i / 16), .queue = queue, .start = {}, .indexing = 0});
      threads_->appended();
      if (made.has_value()) {
        id = made->partition;
      } else {
        sleep();
      }
    }
    partitions_.push_back(*id);
  }
  settle();
}

void Load::stop() {
  if (threads_) check(threads_->stop().has_value(), "the store's threads end well");
  threads_.reset();
}

void Load::close() {
  stop();
  check(store_->close().has_value(), "the store closes");
  store_.reset();
}

void Load::turn_if_told() {
  if (told_.exchange(false)) check(threads_->turn().has_value(), "the store goes on");
}

void Load::sleep() { lane_bell_.sleep(clock_.now() + std::chrono::milliseconds(50)); }

void Load::settle() {
  for (std::uint64_t chores = ~std::uint64_t{0};;) {
    store_->request_sync();
    threads_->appended();
    for (int i = 0; i < 3; ++i) {
      lane_bell_.look();
      turn_if_told();
      sleep();
    }
    if (std::exchange(chores, threads_->counts().chores) == chores && !store_->wants_write_out()) return;
  }
}

AppendRun Load::append(std::uint64_t bytes, Durability durability, bool with_latencies) {
  AppendRun run;
  const std::uint64_t batches = bytes / batch_.size();
  if (with_latencies) run.latencies.reserve(batches);
  const auto before = threads_->counts();
  const std::uint64_t woken = lane_wakeups_.load();
  const FileCounts& counts = files_.counts();
  const std::uint64_t calls = counts.calls.load();
  const std::uint64_t writer = counts.writer_bytes.load();
  const std::uint64_t prepared = counts.prepared_bytes.load();
  const std::uint64_t other = counts.other_bytes.load();
  const std::uint64_t allocations = heap_allocations();
  const double cpu = cpu_seconds();
  const double begin = seconds_now();
  while (run.batches < batches || waiting_count_ > 0) {
    lane_bell_.look();
    turn_if_told();
    take_done(durability, with_latencies, run);
    bool appended = false;
    while (run.batches < batches && waiting_count_ < waiting_.size() && append_one(durability, with_latencies, run)) {
      // At once, as behind each request of a broker: the writer wakes up while more is appended.
      threads_->appended();
      appended = true;
    }
    if (!appended) lane_bell_.sleep(std::nullopt);
  }
  run.seconds = seconds_now() - begin;
  run.cpu_seconds = cpu_seconds() - cpu;
  run.bytes = run.batches * batch_.size();
  run.heap_allocations = heap_allocations() - allocations;
  const auto after = threads_->counts();
  run.groups = after.groups - before.groups;
  run.wakeups = after.writer_wakeups - before.writer_wakeups + lane_wakeups_.load() - woken;
  run.file_calls = counts.calls.load() - calls;
  run.writer_bytes = counts.writer_bytes.load() - writer;
  run.prepared_bytes = counts.prepared_bytes.load() - prepared;
  run.other_bytes = counts.other_bytes.load() - other;
  return run;
}

bool Load::append_one(Durability durability, bool with_latencies, AppendRun& run) {
  auto room = store_->reserve(store_->entry_bytes(batch_.size()), Purpose::kProduce);
  if (room.has_error()) return false;
  const double begin = with_latencies ? seconds_now() : 0;
  const Appended appended = store_->append(
      partitions_[next_],
      {.bytes = batch_, .epoch = LeaderEpoch{0}, .tag_hashes = {}, .durability = durability, .now = {1'000'000}},
      *room);
  if (with_latencies) run.longest_append_seconds = std::max(run.longest_append_seconds, seconds_now() - begin);
  next_ = (next_ + 1) % partitions_.size();
  waiting_[(first_waiting_ + waiting_count_++) % waiting_.size()] = {appended.end_position, begin};
  ++run.batches;
  return true;
}

void Load::take_done(Durability durability, bool with_latencies, AppendRun& run) {
  const Progress progress = store_->progress();
  const LogPosition reached = durability == Durability::kSynced ? progress.synced : progress.written;
  const double now = with_latencies ? seconds_now() : 0;
  while (waiting_count_ > 0 && waiting_[first_waiting_].end <= reached) {
    if (with_latencies) run.latencies.push_back(now - waiting_[first_waiting_].since);
    first_waiting_ = (first_waiting_ + 1) % waiting_.size();
    --waiting_count_;
  }
}

std::uint64_t Load::read_some(PartitionId partition, Offset& from, std::size_t request_bytes) {
  const Offset end = store_->view(partition).end;
  if (from >= end) return 0;
  const auto plan = store_->plan_read(partition, {.from = from, .end = end, .bytes_max = request_bytes});
  check(plan.has_value(), "what is there can be read");
  const auto found = store_->read(*plan);
  check(found.has_value() && !found->batches.empty(), "what is there is read");
  std::uint64_t bytes = 0;
  for (const ByteView batch : found->batches) bytes += batch.size();
  from.value += static_cast<std::int64_t>(found->batches.size()) * shape_.records;
  return bytes;
}

std::uint64_t Load::read_partition(PartitionId partition, std::size_t request_bytes) {
  std::uint64_t bytes = 0;
  Offset from = store_->view(partition).start;
  while (const std::uint64_t some = read_some(partition, from, request_bytes)) bytes += some;
  return bytes;
}

std::vector<Offset> Load::starts() const {
  std::vector<Offset> all;
  all.reserve(partitions_.size());
  for (const PartitionId partition : partitions_) all.push_back(store_->view(partition).start);
  return all;
}

std::vector<Offset> Load::ends() const {
  std::vector<Offset> all;
  all.reserve(partitions_.size());
  for (const PartitionId partition : partitions_) all.push_back(store_->view(partition).end);
  return all;
}

std::uint64_t Load::read_all(std::vector<Offset> from, std::size_t request_bytes) {
  std::uint64_t bytes = 0;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
      const std::uint64_t some = read_some(partitions_[i], from[i], request_bytes);
      bytes += some;
      more = more || some > 0;
    }
  }
  return bytes;
}

}  // namespace braid::storage
