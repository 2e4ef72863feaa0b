#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/base/bytes.h"
#include "protocol/base/clock.h"
#include "protocol/records/codec.h"

namespace braid::protocol {

/// The layout of a record batch (magic 2), big-endian: where each header field begins. Grammar, invariants and worked
/// examples: docs/formats/record_batch.md.
namespace batch_layout {
inline constexpr std::size_t kBaseOffset = 0;             // int64
inline constexpr std::size_t kBatchLength = 8;            // int32, bytes from kPartitionLeaderEpoch to the end
inline constexpr std::size_t kPartitionLeaderEpoch = 12;  // int32
inline constexpr std::size_t kMagic = 16;                 // int8
inline constexpr std::size_t kCrc = 17;                   // uint32, CRC-32C of kAttributes to the end
inline constexpr std::size_t kAttributes = 21;            // int16
inline constexpr std::size_t kLastOffsetDelta = 23;       // int32
inline constexpr std::size_t kBaseTimestamp = 27;         // int64
inline constexpr std::size_t kMaxTimestamp = 35;          // int64
inline constexpr std::size_t kProducerId = 43;            // int64
inline constexpr std::size_t kProducerEpoch = 51;         // int16
inline constexpr std::size_t kBaseSequence = 53;          // int32
inline constexpr std::size_t kRecordCount = 57;           // int32
inline constexpr std::size_t kBody = 61;                  // the records, compressed or not
}  // namespace batch_layout

/// Bytes before the part that batchLength counts, and the least that it can count.
inline constexpr std::size_t kBatchPrefixBytes = 12;
inline constexpr std::size_t kBatchHeaderBytes = batch_layout::kBody;
inline constexpr std::int32_t kBatchLengthMin = static_cast<std::int32_t>(kBatchHeaderBytes - kBatchPrefixBytes);
inline constexpr std::int8_t kBatchMagic = 2;

/// Bits of the attributes above the codec.
inline constexpr std::int16_t kLogAppendTimeBit = 0x08;
inline constexpr std::int16_t kTransactionalBit = 0x10;
inline constexpr std::int16_t kControlBit = 0x20;
inline constexpr std::int16_t kDeleteHorizonBit = 0x40;

/// What stands for "none" in a batch header or a record.
inline constexpr std::int64_t kNoTimestamp = -1;
inline constexpr std::int64_t kNoProducerId = -1;
inline constexpr std::int16_t kNoProducerEpoch = -1;
inline constexpr std::int32_t kNoSequence = -1;
inline constexpr std::int32_t kNoLeaderEpoch = -1;

/// A timestamp or offset of a record as Kafka computes it: a delta that leads out of the 64 bits wraps around.
constexpr std::int64_t add_delta(std::int64_t base, std::int64_t delta) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(delta));
}

enum class TimestampType : std::uint8_t { kCreateTime, kLogAppendTime };

/// The header fields of one batch, read where they lie. It says what is written there, true or not: bytes from a
/// client are to be validated (batch_validation.h) first.
///
/// Borrows its bytes; copying it is cheap. Any thread.
class RecordBatch {
 public:
  /// `bytes` is exactly one batch, with at least its whole header: checked.
  explicit RecordBatch(ByteView bytes);

  ByteView bytes() const { return bytes_; }
  /// The records as they are stored: still compressed.
  ByteView body() const { return bytes_.subspan(batch_layout::kBody); }

  std::int64_t base_offset() const;
  std::int32_t batch_length() const;
  std::int32_t partition_leader_epoch() const;
  std::int8_t magic() const;
  std::uint32_t crc() const;
  std::int16_t attributes() const;
  std::int32_t last_offset_delta() const;
  std::int64_t base_timestamp() const;
  std::int64_t max_timestamp() const;
  std::int64_t producer_id() const;
  std::int16_t producer_epoch() const;
  std::int32_t base_sequence() const;
  std::int32_t record_count() const;

  std::int64_t last_offset() const { return add_delta(base_offset(), last_offset_delta()); }
  std::int64_t next_offset() const { return add_delta(last_offset(), 1); }
  /// The sequence of the last record: 0 follows the largest int32. kNoSequence when the batch has none.
  std::int32_t last_sequence() const;

  /// The three codec bits, also where they name no codec (5 to 7).
  std::uint8_t codec_bits() const { return static_cast<std::uint8_t>(attributes() & kCodecMask); }
  /// Checked to be one that exists.
  Codec codec() const;
  TimestampType timestamp_type() const {
    return (attributes() & kLogAppendTimeBit) != 0 ? TimestampType::kLogAppendTime : TimestampType::kCreateTime;
  }
  bool transactional() const { return (attributes() & kTransactionalBit) != 0; }
  bool control() const { return (attributes() & kControlBit) != 0; }
  bool has_delete_horizon() const { return (attributes() & kDeleteHorizonBit) != 0; }
  bool has_producer_id() const { return producer_id() > kNoProducerId; }

  /// CRC-32C over what the crc field covers.
  std::uint32_t computed_crc() const;
  bool crc_matches() const { return crc() == computed_crc(); }

 private:
  ByteView bytes_;
};

/// What a leader writes into every batch: its place in the partition. Neither field is covered by the CRC, so this
/// costs twelve bytes and no checksum.
void stamp(MutableBytes batch, std::int64_t base_offset, std::int32_t partition_leader_epoch);

/// CreateTime: the records keep their own timestamps. Clears the LogAppendTime bit, writes the true maximum, and the
/// CRC to match.
void set_create_time(MutableBytes batch, std::int64_t max_timestamp);

/// LogAppendTime: readers give `now` to every record. Sets the bit, maxTimestamp, and the CRC to match; base timestamp
/// and deltas stay.
void set_log_append_time(MutableBytes batch, WallTime now);

/// Makes the CRC match the bytes.
void renew_crc(MutableBytes batch);

}  // namespace braid::protocol
