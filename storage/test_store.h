#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/commitlog/commit_log_store.h"
#include "storage/env/memory_file_system.h"
#include "storage/small_store.h"
#include "storage/store_model.h"

namespace braid::storage {

/// A small CommitLogStore over a file system in memory, with a model beside it. For scenarios; one thread.
class TestStore {
 public:
  TestStore() { open(); }

  CommitLogStore& store() { return *store_; }
  MemoryFileSystem& files() { return files_; }
  StoreModel& model() { return model_; }
  const RecoveryReport& report() const { return store_->report(); }

  /// Whether it opened; the store before is gone as if killed.
  bool open() {
    store_.reset();
    auto opened = CommitLogStore::open(files_, options_, {});
    error_ = opened.has_error() ? opened.error() : boost::system::error_code();
    if (opened.has_value()) store_ = *std::move(opened);
    return store_ != nullptr;
  }
  bool reopen_after(PowerCut cut) {
    store_.reset();
    files_.restart(cut);
    return open();
  }
  bool close_and_open() { return store_->close().has_value() && open(); }
  boost::system::error_code error() const { return error_; }
  CommitLogOptions& options() { return options_; }

  PartitionId create(const std::string& name, std::int32_t queue = 0) {
    const PartitionSpec spec{.topic = protocol::uuid_from_halves(++topics_, 1),
                             .name = name,
                             .queue = QueueId{queue},
                             .start = {},
                             .indexing = 1};
    model_.create(spec);
    return store_->create(spec)->partition;
  }
  StoreModel::Partition& expected(PartitionId id) {
    const PartitionView view = store_->view(id);
    return model_.partitions.at({view.topic, view.queue.value});
  }
  /// The partition that has this name now.
  PartitionId named(const std::string& name) {
    for (const PartitionId id : store_->partitions())
      if (store_->view(id).name == name) return id;
    return PartitionId{0};
  }

  Appended append(PartitionId to, std::size_t body_bytes = 500, Durability durability = Durability::kSynced) {
    return append_batch(to, make_batch({.count = 2, .body_bytes = body_bytes, .timestamp_max = 5, .seed = ++seed_}),
                        durability);
  }
  Appended append_batch(PartitionId to, const Bytes& batch, Durability durability, protocol::WallTime now = {}) {
    auto room = store_->reserve(store_->entry_bytes(batch.size()), Purpose::kProduce);
    if (room.has_error()) {
      settle();
      room = store_->reserve(store_->entry_bytes(batch.size()), Purpose::kProduce);
    }
    protocol::check(room.has_value(), "there is room after settling");
    const auto tags = tags_of_test_batch(batch);
    const auto epochs = store_->view(to).epochs;
    const LeaderEpoch epoch = epochs.empty() ? LeaderEpoch{0} : epochs.back().epoch;
    model_.append(expected(to), epoch, batch);
    return store_->append(
        to, {.bytes = batch, .epoch = epoch, .tag_hashes = tags, .durability = durability, .now = now}, *room);
  }
  void trim(PartitionId id, Offset start) {
    StoreModel::trim(expected(id), start);
    protocol::check(store_->trim(id, start).has_value(), "trimming works");
  }

  Step write(std::int64_t now_ms = 0) {
    return *store_->write_out(protocol::Instant(std::chrono::milliseconds(now_ms)));
  }
  void settle(std::int64_t now_ms = 0) {
    const protocol::Instant now(std::chrono::milliseconds{now_ms});
    for (bool busy = true; busy;) {
      store_->request_sync();
      busy = write(now_ms) == Step::kWorked;
      if (std::unique_ptr<Chore> chore = store_->next_chore(now)) {
        chore->run();
        protocol::check(store_->finish(std::move(chore)).has_value(), "nothing fails here");
        busy = true;
      }
    }
  }

  std::string difference_to_model() { return difference(*store_, model_); }

 private:
  MemoryFileSystem files_;
  CommitLogOptions options_ = small_store_options();
  std::unique_ptr<CommitLogStore> store_;
  StoreModel model_;
  boost::system::error_code error_;
  std::uint64_t topics_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace braid::storage
