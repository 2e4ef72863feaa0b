#include "broker/partition/time_lookup.h"

#include "protocol/records/record_batch.h"
#include "protocol/records/record_iterator.h"

namespace braid::broker {
namespace {

using protocol::Result;
using storage::Offset;

constexpr std::size_t kContentBytesMax = 2'147'483'639;  // what a batch was allowed to unpack to when it came

Result<std::optional<TimedRecord>> find_in_batch(const protocol::RecordBatch& batch, std::int64_t timestamp,
                                                 Offset from, Offset end, protocol::Decompressor& decompressor) {
  protocol::Bytes buffer;
  TRY(const protocol::ByteView body, record_body(batch, kContentBytesMax, decompressor, buffer));
  protocol::RecordIterator records(batch, body);
  while (true) {
    TRY(const std::optional<protocol::Record> record, records.next());
    if (!record || record->offset >= end.value) return std::optional<TimedRecord>{};
    if (record->offset >= from.value && record->timestamp >= timestamp)
      return std::optional(TimedRecord{record->timestamp, Offset{record->offset}});
  }
}

}  // namespace

Result<std::optional<TimedRecord>> find_time(const storage::ReadBatches& read, std::int64_t timestamp, Offset from,
                                             Offset end, protocol::Decompressor& decompressor, Offset& next) {
  for (const protocol::ByteView bytes : read.batches) {
    const protocol::RecordBatch batch(bytes);
    next = Offset{batch.next_offset()};
    if (batch.max_timestamp() < timestamp) continue;
    TRY(const std::optional<TimedRecord> found, find_in_batch(batch, timestamp, from, end, decompressor));
    if (found) return found;
  }
  return std::optional<TimedRecord>{};
}

}  // namespace braid::broker
