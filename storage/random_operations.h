#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/env/split_mix.h"
#include "storage/log_store.h"
#include "storage/store_model.h"

namespace braid::storage {

/// Does random operations on a store and the same on a model. For tests; one thread.
class RandomOperations {
 public:
  struct Limits {
    std::int32_t topics = 3;
    std::int32_t queues = 3;
    std::size_t body_bytes_max = 300;
  };

  RandomOperations(std::uint64_t seed, Limits limits) : random_(seed), limits_(limits) {}

  StoreModel& model() { return model_; }
  SplitMix& random() { return random_; }

  /// One operation; "" if all went as the model says. What is there may not be written yet.
  std::string step(LogStore& store);
  /// Something read at random from what is written; everything is settled.
  std::string read_somewhere(LogStore& store);

 private:
  StoreModel::Partition* any_partition();
  std::string create(LogStore& store);
  std::string remove(LogStore& store);
  std::string append(LogStore& store);
  std::string trim(LogStore& store);
  std::string truncate(LogStore& store);
  std::string start_epoch(LogStore& store);
  std::string keep(LogStore& store);
  static std::string look_up_time(LogStore& store, PartitionId id, const StoreModel::Partition& in, std::int64_t time);

  SplitMix random_;
  const Limits limits_;
  StoreModel model_;
  std::uint64_t next_topic_ = 1;
  std::int64_t clock_ = 1'000'000;
};

}  // namespace braid::storage
