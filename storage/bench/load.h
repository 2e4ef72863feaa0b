#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/bench/counting_file_system.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/doorbell.h"
#include "storage/store_threads.h"
#include "storage/test_clock.h"

namespace braid::storage {

/// How one stretch of appending went.
struct AppendRun {
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t batches = 0;
  std::uint64_t bytes = 0;  // of batches
  std::uint64_t groups = 0;
  std::uint64_t heap_allocations = 0;
  std::uint64_t file_calls = 0;
  std::uint64_t wakeups = 0;  // of the writer and of the lane
  std::uint64_t writer_bytes = 0;
  std::uint64_t prepared_bytes = 0;
  std::uint64_t other_bytes = 0;
  double longest_append_seconds = 0;  // that the lane was in one append
  std::vector<double> latencies;      // seconds, from append to the lane's seeing it done

  double mib_per_second() const { return static_cast<double>(bytes) / 1048576.0 / seconds; }
  double group_bytes() const { return static_cast<double>(writer_bytes) / static_cast<double>(groups); }
};

/// A store with its threads, and a lane that appends to it: this thread.
class Load {
 public:
  struct Shape {
    std::uint32_t partitions = 1;
    std::size_t batch_bytes = 1024;
    std::int32_t records = 1;
    std::uint32_t outstanding = 64;
  };
  static CommitLogOptions usual_options();

  /// Opens the store in `files`, which outlive it, and makes the partitions that are missing.
  Load(FileSystem& files, CommitLogOptions options, Shape shape);
  ~Load() { stop(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  /// Appends `bytes` of batches, round robin over the partitions, `outstanding` of them not yet done at a time, and
  /// waits for the last. With latencies only where they are wanted: they take memory.
  AppendRun append(std::uint64_t bytes, Durability durability, bool with_latencies);
  /// Turns until all chores are done that can be.
  void settle();
  /// Reads each batch of `partition` from its start; the bytes found. Caches are as they are.
  std::uint64_t read_partition(PartitionId partition, std::size_t request_bytes);
  /// All partitions side by side, a request of each in turn, from these offsets on, one a partition.
  std::uint64_t read_all(std::vector<Offset> from, std::size_t request_bytes);
  std::vector<Offset> starts() const;
  std::vector<Offset> ends() const;

  CommitLogStore& store() { return *store_; }
  const std::vector<PartitionId>& partitions() const { return partitions_; }
  double open_seconds() const { return open_seconds_; }
  /// The threads end; the store stays as a killed process leaves it, unless close() was called.
  void stop();
  void close();

 private:
  struct Waiting {
    LogPosition end;
    double since = 0;
  };

  void turn_if_told();
  bool append_one(Durability durability, bool with_latencies, AppendRun& run);
  void take_done(Durability durability, bool with_latencies, AppendRun& run);
  void sleep();
  std::uint64_t read_some(PartitionId partition, Offset& from, std::size_t request_bytes);

  const Shape shape_;
  TestClock clock_;
  CountingFileSystem files_;
  Doorbell lane_bell_;
  std::atomic<bool> told_{false};
  std::atomic<std::uint64_t> lane_wakeups_{0};
  double open_seconds_ = 0;
  std::unique_ptr<CommitLogStore> store_;
  std::unique_ptr<StoreThreads> threads_;
  std::vector<PartitionId> partitions_;
  protocol::Bytes batch_;
  std::size_t next_ = 0;          // partition
  std::vector<Waiting> waiting_;  // a ring
  std::size_t first_waiting_ = 0;
  std::size_t waiting_count_ = 0;
};

}  // namespace braid::storage
