// A store with its real threads under load, for a judge that kills it: "load" appends and says what is acknowledged,
// "check" opens what is left and says what it finds. What a batch holds follows from its partition and offset, so that
// every byte can be judged.
//
// store_load DIRECTORY load SEED sync|async|early|unsynced  lines "acked PARTITION END" until it is killed
// store_load DIRECTORY check  lines "found PARTITION START END", then "whole"; exit 1 and why
//
// Two controls that a judge must notice: early acknowledges what is only appended, unsynced syncs nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "compat-tests/crashes/unsynced_file_system.h"
#include "protocol/records/record_batch.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/env/posix_file_system.h"
#include "storage/env/split_mix.h"
#include "storage/store_threads.h"
#include "storage/test_batch.h"
#include "storage/test_clock.h"
#include "storage/test_lane.h"

namespace braid::storage {
namespace {

using protocol::Bytes;

constexpr std::int32_t kPartitions = 4;
constexpr std::int64_t kKept = 3000;  // records that a trim leaves
const TopicId kTopic = protocol::uuid_from_halves(11, 12);

CommitLogOptions options() {
  CommitLogOptions small;
  small.new_store = {.layout = 1,
                     .store = protocol::uuid_from_halves(1, 2),
                     .cluster = protocol::uuid_from_halves(3, 4),
                     .seed = 0x01020304,
                     .file_bytes = 1 << 20,
                     .unsynced_bytes_max = 0};
  small.tail_bytes = 1 << 20;
  small.bounds.bytes = 256 * 1024;
  small.tags = [](ByteView batch, std::uint32_t) { return tags_of_test_batch(batch); };
  small.slab_bytes = 64 * 1024;
  small.prepared_piece_bytes = 128 * 1024;
  small.prepared_bytes_min = small.prepared_bytes_max = 512 * 1024;
  small.essential_bytes = 64 * 1024;
  small.checkpoint_interval_bytes = 700 * 1024;
  small.queue_memory_bytes = 2000;
  return small;
}

/// The batch that partition `partition` has at `base`; epoch and all.
Bytes batch_at(std::int32_t partition, std::int64_t base) {
  SplitMix random(static_cast<std::uint64_t>(base) * kPartitions + static_cast<std::uint64_t>(partition));
  return make_batch({.count = 1 + static_cast<std::int32_t>(random.below(5)),
                     .body_bytes = random.chance(1, 50) ? std::size_t{40'000} : random.below(1500),
                     .timestamp_max = base,
                     .seed = random.next()});
}

class Load {
 public:
  Load(CommitLogStore& store, std::uint64_t seed, const std::string& mode)
      : store_(store),
        random_(seed),
        durability_(mode == "sync" || mode == "unsynced" ? Durability::kSynced : Durability::kWritten),
        early_(mode == "early"),
        threads_(store, clock_, [this] { lane_.tell(); }) {}

  /// Until the process is killed; false: the store failed.
  bool run() {
    for (std::int32_t i = 0; i < kPartitions; ++i)
      if (!store_.find(kTopic, QueueId{i}))
        static_cast<void>(
            store_.create({.topic = kTopic, .name = "load", .queue = QueueId{i}, .start = {}, .indexing = 1})
                .has_value());
    while (true) {
      const bool waits = !append_some();
      threads_.appended();
      say_acknowledged();
      if (waits) lane_.wait_a_little();
      if ((waits || lane_.told()) && threads_.turn().has_error()) return false;
    }
  }

 private:
  /// False: there is no room, or enough is on its way.
  bool append_some() {
    for (std::uint64_t i = 1 + random_.below(30); i > 0; --i) {
      if (pending_.size() > 500) return false;
      const auto number = static_cast<std::int32_t>(random_.below(kPartitions));
      const auto found = store_.find(kTopic, QueueId{number});
      if (!found) return false;
      const PartitionView view = store_.view(*found);
      if (random_.chance(1, 400) && view.end.value > kKept)
        static_cast<void>(store_.trim(*found, Offset{view.end.value - kKept}).has_value());
      const Bytes batch = batch_at(number, view.end.value);
      const LeaderEpoch epoch = view.epochs.empty() ? LeaderEpoch{0} : view.epochs.back().epoch;
      auto room = store_.reserve(store_.entry_bytes(batch.size()), Purpose::kProduce);
      if (room.has_error()) return false;
      const auto tags = tags_of_test_batch(batch);
      const Appended appended = store_.append(
          *found,
          {.bytes = batch, .epoch = epoch, .tag_hashes = tags, .durability = durability_, .now = clock_.wall_now()},
          *room);
      pending_.push_back({number, appended});
    }
    return true;
  }

  void say_acknowledged() {
    const Progress progress = store_.progress();
    LogPosition reached = durability_ == Durability::kSynced ? progress.synced : progress.written;
    if (early_ && !pending_.empty()) reached = pending_.back().appended.end_position;
    std::map<std::int32_t, std::int64_t> ends;
    while (!pending_.empty() && pending_.front().appended.end_position <= reached) {
      ends[pending_.front().partition] = pending_.front().appended.end.value;
      pending_.pop_front();
    }
    for (const auto& [partition, end] : ends) std::printf("acked %d %lld\n", partition, static_cast<long long>(end));
    std::fflush(stdout);
  }

  struct Pending {
    std::int32_t partition;
    Appended appended;
  };

  CommitLogStore& store_;
  SplitMix random_;
  const Durability durability_;
  const bool early_;
  TestClock clock_;
  TestLane lane_;
  std::deque<Pending> pending_;
  StoreThreads threads_;
};

/// "" if every batch from the start to the end is the one that belongs there.
std::string judge(CommitLogStore& store, std::int32_t number) {
  const auto id = store.find(kTopic, QueueId{number});
  if (!id) return "";
  const PartitionView view = store.view(*id);
  Offset at = view.start;
  const Offset end = view.end;
  std::printf("found %d %lld %lld\n", number, static_cast<long long>(at.value), static_cast<long long>(end.value));
  while (at < end) {
    const auto plan = store.plan_read(*id, {at, end, 1 << 20});
    if (plan.has_error()) return "plan at " + std::to_string(at.value) + ": " + plan.error().message();
    const auto read = store.read(*plan);
    if (read.has_error()) return "read at " + std::to_string(at.value) + ": " + read.error().message();
    if (read->batches.empty()) return "nothing at " + std::to_string(at.value);
    for (const ByteView batch : read->batches) {
      const protocol::RecordBatch found(batch);
      Bytes expected = batch_at(number, found.base_offset());
      protocol::stamp(expected, found.base_offset(), found.partition_leader_epoch());
      if (found.base_offset() > at.value || found.next_offset() <= at.value || !std::ranges::equal(batch, expected))
        return "other bytes at " + std::to_string(at.value);
      at = Offset{found.next_offset()};
    }
  }
  return "";
}

int run(const std::string& directory, const std::string& what, std::uint64_t seed, const std::string& mode) {
  auto root = open_posix_file_system(directory);
  if (root.has_error()) return std::fprintf(stderr, "%s\n", root.error().message().c_str()), 1;
  std::unique_ptr<FileSystem> files = *std::move(root);
  if (mode == "unsynced") files = std::make_unique<UnsyncedFileSystem>(std::move(files));
  auto opened = CommitLogStore::open(*files, options(), TestClock().wall_now());
  if (opened.has_error()) return std::fprintf(stderr, "open: %s\n", opened.error().message().c_str()), 1;
  CommitLogStore& store = **opened;
  for (const RecoveryFinding& finding : store.report().findings) {
    std::printf("finding %s %s %lld\n", name_of(finding.kind), finding.path.c_str(),
                static_cast<long long>(finding.position.value));
    // What was just being written.
    using Kind = RecoveryFinding::Kind;
    if (finding.kind == Kind::kTornTail || finding.kind == Kind::kBadSuperblock || finding.kind == Kind::kBadCheckpoint)
      continue;
    return std::fprintf(stderr, "%s in %s\n", name_of(finding.kind), finding.path.c_str()), 1;
  }
  if (what == "load") return Load(store, seed, mode).run() ? 0 : 1;
  for (std::int32_t i = 0; i < kPartitions; ++i) {
    const std::string wrong = judge(store, i);
    if (!wrong.empty()) return std::fprintf(stderr, "partition %d: %s\n", i, wrong.c_str()), 1;
  }
  std::printf("whole\n");
  return 0;
}

}  // namespace
}  // namespace braid::storage

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[2] : "";
  if ((what != "load" || argc != 5) && (what != "check" || argc != 3)) return 2;
  return braid::storage::run(argv[1], what, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0,
                             argc > 4 ? argv[4] : "");
}
