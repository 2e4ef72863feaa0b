#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>

#include "storage/commitlog/shard_partition.h"
#include "storage/types.h"

namespace braid::storage {

/// Finds a shard's partitions by topic and queue, and knows which topics have any. It points to partitions, which are
/// not moved while they are in it, and copies nothing of them: 10 to 20 bytes a partition. One thread.
class PartitionIndex {
 public:
  /// None with its topic and queue is in it.
  void add(ShardPartition& partition);
  void remove(const ShardPartition& partition);
  /// Null when there is none.
  ShardPartition* find(const TopicId& topic, QueueId queue) const;
  bool has(const TopicId& topic) const { return topics_.contains(topic); }

 private:
  struct Key {
    const TopicId& topic;
    QueueId queue;
    explicit Key(const TopicId& t, QueueId q) : topic(t), queue(q) {}
    explicit Key(const ShardPartition* partition)
        : topic(partition->identity->topic), queue(partition->identity->queue) {}
    bool operator==(const Key& other) const { return queue == other.queue && topic == other.topic; }
  };
  struct HashTopic {
    std::size_t operator()(const TopicId& topic) const;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Key& key) const;
    std::size_t operator()(const ShardPartition* partition) const { return (*this)(Key(partition)); }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const ShardPartition* a, const ShardPartition* b) const { return Key(a) == Key(b); }
    bool operator()(const Key& a, const ShardPartition* b) const { return a == Key(b); }
    bool operator()(const ShardPartition* a, const Key& b) const { return Key(a) == b; }
  };

  boost::unordered_flat_set<ShardPartition*, Hash, Same> partitions_;
  boost::unordered_flat_map<TopicId, std::uint32_t, HashTopic> topics_;  // how many partitions each has
};

}  // namespace braid::storage
