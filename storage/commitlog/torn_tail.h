#pragma once

#include <cstdint>
#include <optional>

#include "storage/commitlog/log_scan.h"
#include "storage/types.h"

namespace braid::storage {

/// What a stop that came too soon left behind the end of a log.
struct TornTail {
  /// One past the last byte that is known to have been written there: in a file that was made anew the last that is not
  /// zero, in a recycled one the end of the last whole header, or a byte that is not zero in the log's last block,
  /// which was zeroed behind the end when it was written.
  std::optional<LogPosition> end;
  /// In a recycled file a torn entry can't be told from what was there before: something may have been lost.
  bool may_be_unseen = false;
};

/// Looks at [end, limit), `end` being that of the log. One thread.
TornTail find_torn_tail(LogScan& scan, LogPosition end, LogPosition limit);

/// All of the torn tail [end, torn_end) is a part of the entry with which a start begins its incarnation. That is
/// synced before anything else is written, so nothing was lost with it.
bool is_torn_start(LogScan& scan, LogPosition end, LogPosition torn_end, std::uint32_t incarnation);

}  // namespace braid::storage
