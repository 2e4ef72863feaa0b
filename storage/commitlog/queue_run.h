#pragma once

#include <cstdint>

#include "storage/types.h"

namespace braid::storage {

/// Greatest timestamp of nothing; below every timestamp that a look-up asks for.
inline constexpr std::int64_t kNoTimestamp = INT64_MIN;

/// Of units of which the greatest timestamp is not known: every look-up looks into them.
inline constexpr std::int64_t kUnknownTimestamp = INT64_MAX;

/// Units in a row that say the same: one batch without tags, or its records with one tag after the other. It reaches
/// to the next run's `first`. Position 0 and size 0: records that are lost.
struct QueueRun {
  Offset first;
  LogPosition position;
  std::int64_t tag_hash = 0;
  std::int64_t timestamp_max = kNoTimestamp;  // of the batch
  std::int32_t size_bytes = 0;

  bool operator==(const QueueRun&) const = default;
};

}  // namespace braid::storage
