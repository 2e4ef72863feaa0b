// The threads around a real store over a file system in memory, whose observer holds a sync up where a test wants it.
#include "storage/store_threads.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "storage/commitlog/commit_log_store.h"
#include "storage/env/memory_file_system.h"
#include "storage/errors.h"
#include "storage/small_store.h"
#include "storage/test_batch.h"
#include "storage/test_clock.h"
#include "storage/test_lane.h"

namespace braid::storage {
namespace {

using namespace std::chrono_literals;

/// Syncs of the log wait here while it is closed.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    closed_ = false;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !closed_; });
    waiting_ = false;
  }
  bool wait_for_somebody() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 30s, [this] { return waiting_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  bool waiting_ = false;
};

class StoreThreadsTest : public testing::Test {
 protected:
  void open(CommitLogOptions options = small_store_options()) {
    auto opened = CommitLogStore::open(files_, std::move(options), {});
    ASSERT_TRUE(opened.has_value());
    store_ = *std::move(opened);
    threads_ = std::make_unique<StoreThreads>(*store_, clock_, [this] { lane_.tell(); });
    const auto created = store_->create(
        {.topic = protocol::uuid_from_halves(1, 1), .name = "orders", .queue = QueueId{0}, .start = {}, .indexing = 0});
    ASSERT_TRUE(created.has_value());
    partition_ = created->partition;
    threads_->appended();
    ASSERT_TRUE(lane_.turn_until(*threads_, [&] { return synced() == created->end_position && !busy(); }));
  }
  /// Whether there is room to append and nothing is out.
  bool busy() { return store_->wants_write_out(); }
  LogPosition synced() { return store_->progress().synced; }

  LogPosition append(Durability durability = Durability::kSynced) {
    const Bytes batch = make_batch({.body_bytes = 100, .seed = ++seed_});
    auto room = store_->reserve(store_->entry_bytes(batch.size()), Purpose::kProduce);
    const bool has_room = lane_.turn_until(*threads_, [&] {
      if (room.has_error()) room = store_->reserve(store_->entry_bytes(batch.size()), Purpose::kProduce);
      return room.has_value();
    });
    EXPECT_TRUE(has_room);
    if (!has_room) return LogPosition{0};
    const Batch given{.bytes = batch, .epoch = LeaderEpoch{0}, .tag_hashes = {}, .durability = durability, .now = {}};
    return store_->append(partition_, given, *room).end_position;
  }

  MemoryFileSystem files_;
  TestClock clock_;
  TestLane lane_;
  std::unique_ptr<CommitLogStore> store_;
  std::unique_ptr<StoreThreads> threads_;
  PartitionId partition_;
  std::uint64_t seed_ = 0;
};

TEST_F(StoreThreadsTest, WhatIsAppendedIsSyncedAndTheLaneIsTold) {
  open();
  for (int round = 0; round < 100; ++round) {
    const LogPosition end = append();
    threads_->appended();
    ASSERT_TRUE(lane_.turn_until(*threads_, [&] { return synced() >= end; }));
  }
  EXPECT_TRUE(threads_->stop().has_value());
  EXPECT_TRUE(store_->close().has_value());
}

TEST_F(StoreThreadsTest, WhatComesWhileAGroupIsSyncedIsTheNextGroup) {
  Gate gate;
  files_.observe([&](const MemoryCall& call) {
    if (call.operation == Operation::kSync && call.path.starts_with("commitlog/")) gate.pass();
  });
  CommitLogOptions options = small_store_options();
  options.prepared_bytes_min = options.prepared_bytes_max = 100 * 1024;
  open(std::move(options));
  // Chores sync too: until nothing is left to prepare.
  std::uint64_t chores = ~std::uint64_t{0};
  ASSERT_TRUE(lane_.turn_until(*threads_, [&] { return std::exchange(chores, threads_->counts().chores) == chores; }));

  gate.close();
  append();
  threads_->appended();
  ASSERT_TRUE(gate.wait_for_somebody());
  const auto before = threads_->counts();
  LogPosition end;
  for (int i = 0; i < 50; ++i) {
    end = append();
    threads_->appended();
  }
  EXPECT_EQ(threads_->counts().writer_wakeups, before.writer_wakeups) << "it is awake";
  EXPECT_EQ(threads_->counts().groups, before.groups);
  gate.open();
  ASSERT_TRUE(lane_.turn_until(*threads_, [&] { return synced() >= end; }));
  EXPECT_TRUE(threads_->stop().has_value());
  const auto after = threads_->counts();
  EXPECT_GE(after.groups, before.groups + 2);
  EXPECT_LE(after.groups, before.groups + 3) << "a mark on an idle log may have come as well";
}

TEST_F(StoreThreadsTest, TheLaneIsToldOnceBeforeItsTurn) {
  open();
  lane_.turn_until(*threads_, [&] { return !busy(); });
  const auto before = threads_->counts();
  const Bytes batch = make_batch({.body_bytes = 100, .seed = 1});
  for (int i = 0; i < 20; ++i) {
    auto room = store_->reserve(store_->entry_bytes(batch.size()), Purpose::kProduce);
    ASSERT_TRUE(room.has_value());
    const Batch given{
        .bytes = batch, .epoch = LeaderEpoch{0}, .tag_hashes = {}, .durability = Durability::kSynced, .now = {}};
    const LogPosition end = store_->append(partition_, given, *room).end_position;
    threads_->appended();
    while (synced() < end) lane_.wait_a_little();
  }
  EXPECT_LE(threads_->counts().lane_notices, before.lane_notices + 1);
  EXPECT_GE(threads_->counts().groups, before.groups + 20);
}

TEST_F(StoreThreadsTest, InAsyncModeTheIntervalBringsTheSync) {
  CommitLogOptions options = small_store_options();
  options.bounds = {.interval = 10ms, .bytes = 1 << 20};
  open(std::move(options));
  const LogPosition end = append(Durability::kWritten);
  threads_->appended();
  EXPECT_TRUE(lane_.turn_until(*threads_, [&] { return synced() >= end; }));
}

TEST_F(StoreThreadsTest, AnIdleLogGetsItsMarkThoughNobodyAppends) {
  open();
  const LogPosition end = synced();
  EXPECT_TRUE(lane_.turn_until(*threads_, [&] { return synced() > end; }));
}

TEST_F(StoreThreadsTest, AFailedWriteEndsTheTurnsWithItsError) {
  open();
  files_.plan({.operation = Operation::kWrite, .path_prefix = "commitlog/", .error = EIO});
  append();
  threads_->appended();
  Result<void> outcome = protocol::ok();
  EXPECT_TRUE(lane_.turn_until(*threads_, [&] {
    outcome = threads_->turn();
    return outcome.has_error();
  }));
  EXPECT_TRUE(store_->progress().failed);
  EXPECT_TRUE(threads_->turn().has_error());
  EXPECT_TRUE(threads_->stop().has_error());
}

TEST_F(StoreThreadsTest, AFailedChoreEndsTheTurnsWithItsError) {
  CommitLogOptions options = small_store_options();
  options.prepared_bytes_min = options.prepared_bytes_max = 100 * 1024;
  open(std::move(options));
  files_.plan({.operation = Operation::kWrite, .path_prefix = "checkpoint/", .error = EIO});
  Result<void> outcome = protocol::ok();
  EXPECT_TRUE(lane_.turn_until(*threads_, [&] {
    if (!store_->progress().failed) append();  // until a checkpoint is due
    outcome = threads_->turn();
    return outcome.has_error();
  }));
  EXPECT_TRUE(threads_->turn().has_error());
  EXPECT_TRUE(threads_->stop().has_error());
}

TEST_F(StoreThreadsTest, StoppingWritesWhatWasAppendedAndFinishesTheChore) {
  open();
  LogPosition end;
  for (int i = 0; i < 100; ++i) end = append();
  EXPECT_TRUE(threads_->stop().has_value());
  EXPECT_GE(store_->progress().written, end);
  const auto counts = threads_->counts();
  EXPECT_TRUE(threads_->turn().has_value());
  EXPECT_EQ(threads_->counts().chores, counts.chores) << "no chore is begun any more";
  EXPECT_TRUE(threads_->stop().has_value()) << "twice is once";
  EXPECT_TRUE(store_->close().has_value());
}

}  // namespace
}  // namespace braid::storage
