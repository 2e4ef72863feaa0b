#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "protocol/messages/entity.h"
#include "protocol/records/record_batch.h"
#include "storage/types.h"

namespace braid::broker {

/// What idempotence looks at in a batch.
struct ProducerBatch {
  protocol::ProducerId producer;
  std::int16_t epoch = protocol::kNoProducerEpoch;
  std::int32_t first_sequence = protocol::kNoSequence;
  std::int32_t last_sequence = protocol::kNoSequence;  // 0 follows the largest int32
  std::int32_t last_offset_delta = 0;
  std::int64_t timestamp_max = protocol::kNoTimestamp;

  /// None for a batch without a producer id.
  static std::optional<ProducerBatch> of(const protocol::RecordBatch& batch);
};

/// A batch that is stored, as a retry of it needs it.
struct RememberedBatch {
  std::int32_t first_sequence = 0;
  std::int32_t last_sequence = 0;
  storage::Offset base;
  std::int32_t last_offset_delta = 0;
  std::int64_t timestamp_max = protocol::kNoTimestamp;
  storage::LogPosition end_position;  // durable beyond it; 0 after a restart, when it is
};

/// The idempotent producers of one partition: per id its epoch and its last five batches. Judges batches in the order
/// of their arrival, so that a retry is told from a gap (KIP-98). Owned by the partition, on its lane; time is a
/// parameter.
class ProducerTable {
 public:
  /// As Kafka: a client has at most five requests in flight.
  static constexpr std::size_t kBatchesKept = 5;

  /// The stored batch that this one repeats; none: it may be appended. old_producer_epoch, out_of_order_sequence. In
  /// this order: repetition, epoch, sequence. An id that is not known may begin anywhere.
  protocol::Result<std::optional<RememberedBatch>> judge(const ProducerBatch& batch) const;

  /// It was appended. Beyond kProducersPerPartitionMax the producer that was silent longest is forgotten.
  void stored(const ProducerBatch& batch, storage::Offset base, storage::LogPosition end_position,
              protocol::WallTime now);

  /// Forgets who has not written since `before`.
  void expire(protocol::WallTime before);
  /// Forgets the producers whose batches all lie at or beyond `end`, and those batches of the others.
  void cut(storage::Offset end);
  void clear();

  std::size_t size() const { return producers_.size(); }

  /// For DescribeProducers. By rising id.
  struct Listed {
    protocol::ProducerId producer;
    std::int16_t epoch = 0;
    std::int32_t last_sequence = 0;
    std::int64_t last_timestamp = 0;
  };
  std::vector<Listed> list() const;

  /// For LogStore::keep_state; docs/formats/producer_state.md.
  protocol::Bytes encode() const;
  /// Replaces everything. False: the bytes are none of encode()'s, and the table is empty.
  bool decode(protocol::ByteView bytes);

 private:
  struct Producer {
    std::int16_t epoch = protocol::kNoProducerEpoch;
    std::uint8_t batch_count = 0;
    std::array<RememberedBatch, kBatchesKept> batches;  // oldest first
    std::int64_t written_at_ms = 0;
    std::list<protocol::ProducerId>::iterator age;

    const RememberedBatch& newest() const { return batches[batch_count - 1U]; }
    void remember(const RememberedBatch& batch);
  };

  Producer& touch(protocol::ProducerId id, protocol::WallTime now);
  void forget(protocol::ProducerId id);

  boost::unordered_flat_map<std::int64_t, Producer> producers_;
  std::list<protocol::ProducerId> by_age_;  // longest silent first
};

}  // namespace braid::broker
