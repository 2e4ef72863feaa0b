#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/base/bytes.h"
#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_iterator.h"

namespace braid::protocol {

/// What a control record says, by its number on the wire. Numbers that are not listed belong to Kafka's own metadata
/// log; they are read as they are.
enum class ControlType : std::int16_t { kAbort = 0, kCommit = 1 };

/// Where and for whom a transaction ends in a partition.
struct EndTxnMarker {
  ControlType type = ControlType::kAbort;
  std::int64_t producer_id = kNoProducerId;
  std::int16_t producer_epoch = kNoProducerEpoch;
  std::int32_t coordinator_epoch = 0;
};

/// Size of every batch that build_end_txn_batch() makes.
inline constexpr std::size_t kEndTxnBatchBytes = 78;

/// A batch of one control record; never compressed. Stamp it like any other batch. Hex example:
/// docs/formats/record_batch.md.
Bytes build_end_txn_batch(const EndTxnMarker& marker, WallTime now);

/// The type in a control record's key. Errc::malformed: no key, or one too short.
Result<ControlType> read_control_type(const Record& record);

/// The marker in a batch whose control bit is set. Errc::malformed: another control type, or no well-formed record.
Result<EndTxnMarker> read_end_txn_batch(const RecordBatch& batch);

}  // namespace braid::protocol
