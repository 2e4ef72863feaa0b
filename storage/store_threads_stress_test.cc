// Random operations on a lane, a model beside it, and readers on threads of their own, while the store's threads write,
// sync, write queues out, take checkpoints and free files.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/base/check.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/env/memory_file_system.h"
#include "storage/env/posix_file_system.h"
#include "storage/env/temporary_directory.h"
#include "storage/errors.h"
#include "storage/random_operations.h"
#include "storage/small_store.h"
#include "storage/store_threads.h"
#include "storage/test_clock.h"
#include "storage/test_lane.h"
#include "storage/test_seed.h"

namespace braid::storage {
namespace {

/// A read as the lane planned it, and what it may find: nothing but a beginning of this.
struct PlannedJob {
  ReadPlan plan;
  std::vector<Bytes> expected;
};

/// Threads that do planned reads and judge what comes.
class Readers {
 public:
  Readers(LogStore& store, int count) : store_(store) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Readers() { finish(); }

  void take(PlannedJob job) {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() < kJobsMax) jobs_.push_back(std::move(job));
    changed_.notify_one();
  }
  /// When all that was taken is done: what went wrong, or "".
  std::string finish() {
    {
      const std::lock_guard lock(mutex_);
      finishing_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
    return fault_;
  }
  std::uint64_t batches() const { return batches_; }
  std::uint64_t overtaken() const { return overtaken_; }

 private:
  static constexpr std::size_t kJobsMax = 64;

  void work() {
    while (true) {
      PlannedJob job;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return finishing_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      const auto found = store_.read(job.plan);
      const std::lock_guard lock(mutex_);
      if (std::string fault = judge(job, found); !fault.empty()) fault_ = std::move(fault);
    }
  }

  std::string judge(const PlannedJob& job, const Result<ReadBatches>& found) {
    if (found.has_error()) {
      const bool cut = found.error() == make_error_code(StorageErrc::stale_read);
      const bool trimmed = found.error() == make_error_code(StorageErrc::offset_out_of_range);
      ++overtaken_;
      return cut || trimmed ? "" : "read: " + found.error().message();
    }
    if (found->batches.size() > job.expected.size()) return "more batches than there are";
    for (std::size_t i = 0; i < found->batches.size(); ++i)
      if (!std::ranges::equal(found->batches[i], job.expected[i])) return "another batch";
    batches_ += found->batches.size();
    return "";
  }

  LogStore& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex.
  std::deque<PlannedJob> jobs_;
  bool finishing_ = false;
  std::string fault_;
  std::uint64_t batches_ = 0;
  std::uint64_t overtaken_ = 0;
  std::vector<std::thread> threads_;
};

/// The lane: everything that is not said to be any thread's happens in here.
class Stress {
 public:
  Stress(FileSystem& files, std::uint64_t seed) : files_(files), operations_(seed, {.topics = 3, .queues = 3}) {
    open();
  }

  std::string run(std::uint64_t steps) {
    StoreThreads threads(*store_, clock_, [this] { lane_.tell(); });
    Readers readers(*store_, 3);
    for (std::uint64_t i = 0; i < steps; ++i) {
      if (!lane_.turn_until(threads, [this] { return has_room(); })) return "no room comes";
      if (std::string fault = operations_.step(*store_); !fault.empty()) return fault;
      threads.appended();
      if (lane_.told() && threads.turn().has_error()) return "a turn failed";
      if (operations_.random().chance(1, 3)) plan_read(readers);
    }
    if (std::string fault = readers.finish(); !fault.empty()) return fault;
    if (threads.stop().has_error()) return "stop failed";
    if (readers.batches() == 0) return "nothing was read";
    settle();
    return difference(*store_, operations_.model());
  }

  std::string reopened() {
    protocol::check(store_->close().has_value(), "the store closes");
    open();
    return difference(*store_, operations_.model());
  }

 private:
  void open() {
    store_.reset();
    auto opened = CommitLogStore::open(files_, small_store_options(), {});
    protocol::check(opened.has_value(), "the store opens");
    store_ = *std::move(opened);
  }

  /// Control operations come from what is kept back then.
  bool has_room() { return store_->reserve(8 * 1024, Purpose::kProduce).has_value(); }

  void plan_read(Readers& readers) {
    const auto& partitions = operations_.model().partitions;
    if (partitions.empty()) return;
    SplitMix& random = operations_.random();
    const auto& [key, partition] =
        *std::next(partitions.begin(), static_cast<std::ptrdiff_t>(random.below(partitions.size())));
    const auto length = static_cast<std::uint64_t>(partition.end.value - partition.start.value);
    const ReadRequest request{
        .from = Offset{partition.start.value + static_cast<std::int64_t>(random.below(length + 1))},
        .end = partition.end,
        .bytes_max = random.below(3000)};
    auto plan = store_->plan_read(*store_->find(key.first, QueueId{key.second}), request);
    protocol::check(plan.has_value(), "what the model has can be read");
    PlannedJob job{.plan = *std::move(plan), .expected = {}};
    for (const StoreModel::Record* const record : StoreModel::read(partition, request))
      job.expected.push_back(record->bytes);
    readers.take(std::move(job));
  }

  void settle() {
    for (bool busy = true; busy;) {
      store_->request_sync();
      busy = *store_->write_out(clock_.now()) == Step::kWorked;
      if (std::unique_ptr<Chore> chore = store_->next_chore(clock_.now())) {
        chore->run();
        protocol::check(store_->finish(std::move(chore)).has_value(), "nothing fails here");
        busy = true;
      }
    }
  }

  FileSystem& files_;
  TestClock clock_;
  TestLane lane_;
  RandomOperations operations_;
  std::unique_ptr<CommitLogStore> store_;
};

TEST(StoreThreadsStress, ReadersFindOnlyWhatTheModelHasInMemory) {
  MemoryFileSystem files;
  Stress stress(files, test_seed());
  const std::uint64_t operations = test_scale(5'000, 100'000);
  EXPECT_EQ(stress.run(operations), "");
  print_count(operations, "operations under readers, in memory");
  EXPECT_EQ(stress.reopened(), "");
}

TEST(StoreThreadsStress, ReadersFindOnlyWhatTheModelHasOnADisk) {
  const TemporaryDirectory directory;
  const auto files = open_posix_file_system(directory.path());
  ASSERT_TRUE(files.has_value());
  Stress stress(**files, test_seed());
  const std::uint64_t operations = test_scale(2'000, 50'000);
  EXPECT_EQ(stress.run(operations), "");
  print_count(operations, "operations under readers, on a disk");
  EXPECT_EQ(stress.reopened(), "");
}

}  // namespace
}  // namespace braid::storage
