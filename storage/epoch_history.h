#pragma once

#include <boost/container/small_vector.hpp>
#include <span>

#include "storage/types.h"

namespace braid::storage {

/// At which offset each leader epoch of a partition began; epochs and offsets rise. A value; one thread.
class EpochHistory {
 public:
  std::span<const EpochStart> starts() const { return {starts_.data(), starts_.size()}; }
  /// -1 when no epoch began yet.
  LeaderEpoch last() const { return starts_.empty() ? LeaderEpoch{-1} : starts_.back().epoch; }

  /// Records from `start` on are of `epoch`: no news for the last epoch, else above it (checked). An epoch that began
  /// there before and has no records is forgotten.
  void begin(LeaderEpoch epoch, Offset start);
  /// Records at or above `end` are gone: so are the epochs that began there.
  void truncate(Offset end);
  /// Records below `start` are gone: the epoch that `start` lies in begins there now.
  void trim(Offset start);

 private:
  boost::container::small_vector<EpochStart, 1> starts_;  // most partitions have one
};

}  // namespace braid::storage
