#include "broker/groups/durable_groups.h"

#include <utility>
#include <variant>

namespace braid::broker {
namespace {

using protocol::ByteView;
using protocol::Result;

std::int64_t bytes_of(const OffsetKey& key, const CommittedOffset& committed) {
  return static_cast<std::int64_t>(record_of_offset(key, committed).size_bytes());
}

std::int64_t bytes_of(std::string_view group, const std::optional<protocol::Bytes>& metadata) {
  return metadata ? static_cast<std::int64_t>(record_of_no_group(group).size_bytes() + metadata->size()) : 0;
}

}  // namespace

Result<void> DurableGroups::replay(ByteView key, const std::optional<ByteView>& value) {
  TRY(const GroupRecordKey parsed, parse_key(key));
  if (const auto* offset = std::get_if<OffsetKey>(&parsed)) return replay_offset(*offset, value);
  if (const auto* group = std::get_if<GroupKey>(&parsed)) return replay_group(*group, value);
  return protocol::ok();
}

Result<void> DurableGroups::replay_offset(const OffsetKey& key, const std::optional<ByteView>& value) {
  std::optional<CommittedOffset> committed;
  if (value) {
    TRY(committed, parse_offset(*value));
  }
  const auto group = groups_.try_emplace(key.group).first;
  Topics& topics = group->second.offsets;
  const auto topic = topics.try_emplace(key.topic).first;
  if (const auto before = topic->second.find(key.partition); before != topic->second.end()) {
    live_bytes_ -= bytes_of(key, before->second);
    --offset_count_;
    topic->second.erase(before);
  }
  if (committed) {
    live_bytes_ += bytes_of(key, *committed);
    ++offset_count_;
    topic->second.emplace(key.partition, *std::move(committed));
  }
  if (topic->second.empty()) topics.erase(topic);
  drop_if_empty(group);
  return protocol::ok();
}

Result<void> DurableGroups::replay_group(const GroupKey& key, const std::optional<ByteView>& value) {
  if (value) {
    protocol::Arena arena;
    protocol::GroupMetadataValue parsed;
    TRY_DO(parse_group(*value, arena, parsed));
  }
  const auto group = groups_.try_emplace(key.group).first;
  live_bytes_ -= bytes_of(key.group, group->second.metadata);
  group->second.metadata = value ? std::optional(protocol::Bytes(value->begin(), value->end())) : std::nullopt;
  live_bytes_ += bytes_of(key.group, group->second.metadata);
  drop_if_empty(group);
  return protocol::ok();
}

void DurableGroups::drop_if_empty(Groups::iterator group) {
  if (!group->second.metadata && group->second.offsets.empty()) groups_.erase(group);
}

const DurableGroups::DurableGroup* DurableGroups::find(std::string_view group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : &found->second;
}

const CommittedOffset* DurableGroups::find_offset(std::string_view group, std::string_view topic,
                                                  std::int32_t partition) const {
  const DurableGroup* const found = find(group);
  if (found == nullptr) return nullptr;
  const auto partitions = found->offsets.find(topic);
  if (partitions == found->offsets.end()) return nullptr;
  const auto committed = partitions->second.find(partition);
  return committed == partitions->second.end() ? nullptr : &committed->second;
}

DurableGroups::Piece DurableGroups::records_after(const std::optional<std::string>& after,
                                                  std::size_t bytes_max) const {
  Piece piece;
  std::size_t bytes = 0;
  auto group = after ? groups_.upper_bound(*after) : groups_.begin();
  for (; group != groups_.end() && bytes < bytes_max; ++group) {
    const auto add = [&](GroupRecord record) {
      bytes += record.size_bytes();
      piece.records.push_back(std::move(record));
    };
    if (group->second.metadata) {
      GroupRecord record = record_of_no_group(group->first);
      record.value = group->second.metadata;
      add(std::move(record));
    }
    for (const auto& [topic, partitions] : group->second.offsets)
      for (const auto& [partition, committed] : partitions)
        add(record_of_offset({group->first, topic, partition}, committed));
    piece.last = group->first;
  }
  if (group == groups_.end()) piece.last.reset();
  return piece;
}

}  // namespace braid::broker
