#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/log_store.h"
#include "storage/types.h"

namespace braid::storage {

/// What a store should hold, as plainly as it can be said: the judge of random operations. For tests; one thread.
class StoreModel {
 public:
  struct Record {
    Offset base;
    Offset end;
    std::int64_t timestamp_max = 0;
    protocol::Bytes bytes;  // as stored: stamped
  };
  struct Partition {
    PartitionSpec spec;
    Offset start;
    Offset end;
    std::vector<Record> batches;           // also those below the start
    std::vector<EpochStart> epoch_begins;  // as they happened, cut like the batches
    Offset kept_as_of;
    protocol::Bytes kept;
  };
  using Key = std::pair<TopicId, std::int32_t>;

  std::map<Key, Partition> partitions;

  void create(const PartitionSpec& spec);
  void append(Partition& to, LeaderEpoch epoch, protocol::ByteView batch);
  static void truncate(Partition& of, Offset end);
  static void trim(Partition& of, Offset start);
  static void start_epoch(Partition& of, LeaderEpoch epoch) { of.epoch_begins.push_back({epoch, of.end}); }
  /// What a recovery that cut a torn tail does.
  void raise_epochs();

  /// Whole batches from `from` on, below `end`, at least one and then up to `bytes_max`.
  static std::vector<const Record*> read(const Partition& from, const ReadRequest& request);
  static std::vector<EpochStart> epochs(const Partition& of);
};

/// "" if the store shows exactly what the model holds (all of it is written and synced), else what differs.
std::string difference(LogStore& store, const StoreModel& model);
/// The same for one partition that both have.
std::string difference(LogStore& store, PartitionId id, const StoreModel::Partition& expected);

}  // namespace braid::storage
