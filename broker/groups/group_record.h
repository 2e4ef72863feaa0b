#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "protocol/base/arena.h"
#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/messages/cg_02_group_metadata.h"

namespace braid::broker {

/// A record of __consumer_offsets as Kafka writes it. No value: what the key names is gone.
struct GroupRecord {
  protocol::Bytes key;
  std::optional<protocol::Bytes> value;

  std::size_t size_bytes() const { return key.size() + (value ? value->size() : 0); }
};

/// A group's committed place in one partition.
struct CommittedOffset {
  std::int64_t offset = 0;
  std::int32_t leader_epoch = -1;
  std::string metadata;
  std::int64_t commit_timestamp = 0;
  std::int64_t expire_timestamp = -1;  // -1: as the broker is configured
};

/// What a key names.
struct OffsetKey {
  std::string group;
  std::string topic;
  std::int32_t partition = 0;
};
struct GroupKey {
  std::string group;
};
struct UnknownKey {};  // of another kind of group, or of a newer broker
using GroupRecordKey = std::variant<OffsetKey, GroupKey, UnknownKey>;

GroupRecord record_of_offset(const OffsetKey& key, const CommittedOffset& committed);
GroupRecord record_of_no_offset(const OffsetKey& key);
GroupRecord record_of_group(std::string_view group, const protocol::GroupMetadataValue& value);
GroupRecord record_of_no_group(std::string_view group);

/// Errc::malformed: it begins like a key that is known and does not go on like one.
protocol::Result<GroupRecordKey> parse_key(protocol::ByteView key);
/// Errc::malformed, Errc::unsupported_version.
protocol::Result<CommittedOffset> parse_offset(protocol::ByteView value);
/// What `out` points at lives as long as `value` and `arena`.
protocol::Result<void> parse_group(protocol::ByteView value, protocol::Arena& arena, protocol::GroupMetadataValue& out);

}  // namespace braid::broker
