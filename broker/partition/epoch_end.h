#pragma once

#include <cstdint>

#include "storage/log_store.h"

namespace braid::broker {

/// The largest epoch at or below `asked`, and the offset at which it ended.
struct EpochEnd {
  std::int32_t epoch = -1;
  std::int64_t end_offset = -1;  // -1: none is known
};

/// By the partition's list of epochs; `current` is the leader's, which ends at `end`. Before the first known one: the
/// asked epoch with the start of the first (KIP-101, KIP-320). Above the current, or negative: none.
EpochEnd find_epoch_end(const storage::PartitionView& view, std::int32_t current, std::int32_t asked);

}  // namespace braid::broker
