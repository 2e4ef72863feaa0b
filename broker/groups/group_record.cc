#include "broker/groups/group_record.h"

#include "protocol/base/errc.h"
#include "protocol/messages/cg_01_offset_commit.h"
#include "protocol/messages/decoded.h"
#include "protocol/messages/encoded.h"

namespace braid::broker {
namespace {

using protocol::Bytes;
using protocol::ByteView;
using protocol::Errc;
using protocol::Reader;
using protocol::Result;

// The number before a key's body is the kind of record; 0 and 1 are offsets, written by old and newer brokers.
constexpr std::int16_t kLegacyOffsetKey = 0;
constexpr std::int16_t kOffsetKey = 1;
constexpr std::int16_t kGroupKey = 2;
constexpr std::int16_t kBodyVersion = 0;  // of the keys' bodies

// What tools read that know Kafka before 4: values without tags. An expiry of its own is in version 1 only.
constexpr std::int16_t kOffsetValueVersion = 3;
constexpr std::int16_t kExpiringOffsetValueVersion = 1;
constexpr std::int16_t kGroupValueVersion = 3;

template <class Message>
Bytes numbered(std::int16_t number, const Message& message, std::int16_t version) {
  Bytes bytes(sizeof number + encoded_size(message, version));
  protocol::Writer out(bytes);
  out.i16(number);
  encode(message, version, out);
  return bytes;
}

Bytes key_bytes(const OffsetKey& key) {
  return numbered(kOffsetKey, protocol::OffsetCommitKey{key.group, key.topic, key.partition}, kBodyVersion);
}

Bytes key_bytes(std::string_view group) { return numbered(kGroupKey, protocol::GroupMetadataKey{group}, kBodyVersion); }

}  // namespace

GroupRecord record_of_offset(const OffsetKey& key, const CommittedOffset& committed) {
  protocol::OffsetCommitValue value;
  value.offset = committed.offset;
  value.metadata = committed.metadata;
  value.commit_timestamp = committed.commit_timestamp;
  const bool expires = committed.expire_timestamp >= 0;
  const std::int16_t version = expires ? kExpiringOffsetValueVersion : kOffsetValueVersion;
  if (expires) {
    value.expire_timestamp = committed.expire_timestamp;
  } else {
    value.leader_epoch = committed.leader_epoch;
  }
  return {key_bytes(key), numbered(version, value, version)};
}

GroupRecord record_of_no_offset(const OffsetKey& key) { return {key_bytes(key), std::nullopt}; }

GroupRecord record_of_group(std::string_view group, const protocol::GroupMetadataValue& value) {
  return {key_bytes(group), numbered(kGroupValueVersion, value, kGroupValueVersion)};
}

GroupRecord record_of_no_group(std::string_view group) { return {key_bytes(group), std::nullopt}; }

Result<GroupRecordKey> parse_key(ByteView key) {
  Reader in(key);
  protocol::Arena arena;
  const std::int16_t number = in.i16();
  if (!in.ok()) return make_error_code(Errc::malformed);
  if (number == kLegacyOffsetKey || number == kOffsetKey) {
    protocol::OffsetCommitKey offset;
    TRY_DO(protocol::decode(in, kBodyVersion, arena, offset));
    return GroupRecordKey(OffsetKey{std::string(offset.group), std::string(offset.topic), offset.partition});
  }
  if (number == kGroupKey) {
    protocol::GroupMetadataKey group;
    TRY_DO(protocol::decode(in, kBodyVersion, arena, group));
    return GroupRecordKey(GroupKey{std::string(group.group)});
  }
  return GroupRecordKey(UnknownKey{});
}

Result<CommittedOffset> parse_offset(ByteView value) {
  Reader in(value);
  protocol::Arena arena;
  protocol::OffsetCommitValue offset;
  const std::int16_t version = in.i16();
  TRY_DO(protocol::decode(in, version, arena, offset));
  return CommittedOffset{offset.offset, offset.leader_epoch, std::string(offset.metadata), offset.commit_timestamp,
                         offset.expire_timestamp};
}

Result<void> parse_group(ByteView value, protocol::Arena& arena, protocol::GroupMetadataValue& out) {
  Reader in(value);
  const std::int16_t version = in.i16();
  return protocol::decode(in, version, arena, out);
}

}  // namespace braid::broker
