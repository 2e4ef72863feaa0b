#pragma once

#include <cstdint>
#include <optional>

#include "protocol/base/result.h"
#include "protocol/records/decompression.h"
#include "storage/log_store.h"

namespace braid::broker {

/// A record that was looked for by its time.
struct TimedRecord {
  std::int64_t timestamp = 0;
  storage::Offset offset;
};

/// The first record of the batches with at least this timestamp, at or above `from` and below `end`; none: it is not
/// in them. `next` becomes the offset behind them. Errors as of the records' reading.
protocol::Result<std::optional<TimedRecord>> find_time(const storage::ReadBatches& read, std::int64_t timestamp,
                                                       storage::Offset from, storage::Offset end,
                                                       protocol::Decompressor& decompressor, storage::Offset& next);

}  // namespace braid::broker
