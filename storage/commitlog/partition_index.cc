#include "storage/commitlog/partition_index.h"

#include <cstring>

#include "protocol/base/check.h"

namespace braid::storage {

void PartitionIndex::add(ShardPartition& partition) {
  protocol::check(partitions_.insert(&partition).second, "a partition is there once");
  ++topics_[partition.identity->topic];
}

void PartitionIndex::remove(const ShardPartition& partition) {
  const auto found = partitions_.find(Key(&partition));
  protocol::check(found != partitions_.end(), "what is removed is there");
  partitions_.erase(found);
  const auto topic = topics_.find(partition.identity->topic);
  if (--topic->second == 0) topics_.erase(topic);
}

ShardPartition* PartitionIndex::find(const TopicId& topic, QueueId queue) const {
  const auto found = partitions_.find(Key(topic, queue));
  return found == partitions_.end() ? nullptr : *found;
}

/// Topic ids are random but for the few that are fixed.
std::size_t PartitionIndex::HashTopic::operator()(const TopicId& topic) const {
  std::uint64_t halves[2];
  std::memcpy(halves, topic.bytes.data(), sizeof halves);
  return static_cast<std::size_t>(halves[0] * 0x9E37'79B9'7F4A'7C15U ^ halves[1]);
}

std::size_t PartitionIndex::Hash::operator()(const Key& key) const {
  return HashTopic{}(key.topic) + static_cast<std::size_t>(key.queue.value) * 0xC2B2'AE3D'27D4'EB4FU;
}

}  // namespace braid::storage
