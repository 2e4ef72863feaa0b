#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/messages/decoded.h"
#include "protocol/wire/writer.h"

namespace braid::broker {

/// What a record of the metadata log says; the number stands in its value. docs/formats/metadata_log.md.
enum class MetadataType : std::int16_t {
  kCluster = 1,
  kTopic = 2,         // exists, with so many partitions: also when they become more
  kTopicRemoved = 3,  // and all that was said about it
  kConfig = 4,        // a value; null: none any more
  kProducerIds = 5,   // ids below were given out, or may have been
};

/// The value of one record: type, version, body.
using MetadataRecord = protocol::Bytes;

template <class Message>
MetadataRecord metadata_record(MetadataType type, const Message& message) {
  constexpr std::int16_t kVersion = 0;
  constexpr std::size_t kHeadBytes = 2 * sizeof(std::int16_t);
  MetadataRecord record(kHeadBytes + encoded_size(message, kVersion));
  protocol::Writer out(record);
  out.i16(static_cast<std::int16_t>(type));
  out.i16(kVersion);
  encode(message, kVersion, out);
  return record;
}

}  // namespace braid::broker
