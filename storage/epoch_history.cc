#include "storage/epoch_history.h"

#include <algorithm>
#include <iterator>

#include "protocol/base/check.h"

namespace braid::storage {

void EpochHistory::begin(LeaderEpoch epoch, Offset start) {
  if (epoch == last()) return;
  protocol::check(epoch > last(), "leader epochs rise");
  truncate(start);
  starts_.push_back({epoch, start});
}

void EpochHistory::truncate(Offset end) {
  while (!starts_.empty() && starts_.back().start >= end) starts_.pop_back();
}

void EpochHistory::trim(Offset start) {
  const auto behind =
      std::find_if(starts_.begin(), starts_.end(), [&](const EpochStart& e) { return e.start > start; });
  if (behind == starts_.begin()) return;
  const auto holder = std::prev(behind);
  holder->start = start;
  starts_.erase(starts_.begin(), holder);
}

}  // namespace braid::storage
