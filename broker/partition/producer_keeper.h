#pragma once

#include <cstddef>
#include <cstdint>

#include "broker/partition/partition.h"
#include "protocol/base/clock.h"
#include "storage/log_store.h"

namespace braid::broker {

/// Has the store keep what partitions know of their producers, so that a start reads little of them again: of every
/// partition that was appended to, once so many bytes were appended to all of them together. The lane's.
class ProducerKeeper {
 public:
  /// The store outlives it. Producers silent for `expiration_ms` are forgotten.
  ProducerKeeper(storage::LogStore& store, std::int64_t expiration_ms) : store_(store), expiration_ms_(expiration_ms) {}

  /// Of a partition that was just opened: what the store kept, then the headers of all batches behind it. Waits for the
  /// disk. Batches that are damaged are left out.
  void restore(Partition& partition, protocol::WallTime now);

  void appended(Partition& partition, std::size_t bytes);
  /// Forgets who was silent too long.
  void expire(Partition& partition, protocol::WallTime now) const;

  /// Keeps some of what is due: at least one partition, and not many bytes.
  void turn(protocol::WallTime now);
  /// All of it, as the last thing before a clean stop.
  void keep_all(protocol::WallTime now);

 private:
  using Unkept = boost::intrusive::list<Partition, boost::intrusive::base_hook<Partition::UnkeptHook>,
                                        boost::intrusive::constant_time_size<false>>;

  std::size_t keep(Partition& partition, protocol::WallTime now);

  storage::LogStore& store_;
  const std::int64_t expiration_ms_;
  Unkept changed_;  // since the store kept what they know
  Unkept due_;
  std::size_t appended_bytes_ = 0;
};

}  // namespace braid::broker
