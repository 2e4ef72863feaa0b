#pragma once

#include <cstdint>

#include "protocol/base/strong_int.h"
#include "protocol/base/uuid.h"

/// The words of storage. Integers that could be swapped by mistake are different types.
namespace braid::storage {

/// Kafka's number of a record in its partition.
struct OffsetTag;
using Offset = protocol::StrongInt<OffsetTag, std::int64_t>;

/// A byte address in a shard's log: never reused, and an entry's identity. An end at a file's end is the first position
/// of the next file.
struct LogPositionTag;
using LogPosition = protocol::StrongInt<LogPositionTag, std::int64_t>;

/// Kafka's partition number; the ConsumeQueue's directory.
struct QueueIdTag;
using QueueId = protocol::StrongInt<QueueIdTag, std::int32_t>;

struct LeaderEpochTag;
using LeaderEpoch = protocol::StrongInt<LeaderEpochTag, std::int32_t>;

/// A partition of an open store. Never reused while the store is open; means nothing after that.
struct PartitionIdTag;
using PartitionId = protocol::StrongInt<PartitionIdTag, std::uint32_t>;

using TopicId = protocol::Uuid;

/// Kafka's leader epoch began at `start`, the first offset written in it.
struct EpochStart {
  LeaderEpoch epoch;
  Offset start;
  bool operator==(const EpochStart&) const = default;
};

/// Where an entry of the log lies.
struct Extent {
  LogPosition begin;
  std::int32_t size_bytes = 0;  // the whole entry, header and padding included
  bool operator==(const Extent&) const = default;
};

}  // namespace braid::storage
