#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"
#include "storage/types.h"

namespace braid::storage {

/// All of a partition but where its batches lie: what a snapshot in the log and a checkpoint say about it. Grammar:
/// docs/formats/checkpoint.md. A value.
struct PartitionRecord {
  TopicId topic;
  QueueId queue;
  std::uint32_t indexing = 0;
  std::string name;
  Offset start;
  Offset end;
  std::vector<EpochStart> epochs;
  Offset kept_as_of;
  protocol::Bytes kept;

  bool operator==(const PartitionRecord&) const = default;
};

/// Kafka's rule for names: such a name is safe as a directory.
bool is_topic_name(std::string_view name);

std::size_t encoded_size(const PartitionRecord& record);
void encode(const PartitionRecord& record, protocol::Writer& out);
/// The reader fails where the bytes are no record; counts are bounded by the bytes that are there.
PartitionRecord decode_partition_record(protocol::Reader& in);

}  // namespace braid::storage
