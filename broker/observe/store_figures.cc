#include "broker/observe/store_figures.h"

#include "broker/partition/fetch_session.h"

namespace braid::broker {
namespace {

constexpr std::int32_t kReplicas = 1;

PartitionFigures figures_of(const Shard& shard, const Partition& partition, std::size_t topic) {
  const storage::PartitionView view = shard.view(partition);
  const std::int32_t in_sync_min = partition.settings().in_sync_replicas_min;
  return {.topic = topic,
          .index = partition.place().index,
          .start = view.start.value,
          .high_watermark = partition.high_watermark().value,
          .end = view.end.value,
          .size_bytes = view.size_bytes,
          .under_min_isr = in_sync_min > kReplicas,
          .at_min_isr = in_sync_min == kReplicas};
}

MemoryFigures figures_of(const ByteBudget& budget) {
  return {budget.used_bytes(), budget.limit_bytes(), budget.waiting_count()};
}

}  // namespace

void add_store_figures(const Node& node, MetricsSnapshot& snapshot) {
  Shard& shard = node.shard;
  const auto image = node.metadata.image();
  for (const auto& [name, topic] : image->by_name) {
    const std::size_t place = snapshot.topics.size();
    Partition* last = nullptr;
    for (std::int32_t index = 0; index < topic->partition_count; ++index) {
      Partition* const partition = shard.find(topic->id, index);
      if (partition == nullptr) continue;  // being made
      last = partition;
      ++snapshot.partition_count;
      const std::int32_t in_sync_min = partition->settings().in_sync_replicas_min;
      if (in_sync_min > kReplicas) ++snapshot.under_min_isr;
      if (in_sync_min == kReplicas) ++snapshot.at_min_isr;
      if (snapshot.detail == MetricsDetail::kPartitions)
        snapshot.partitions.push_back(figures_of(shard, *partition, place));
    }
    ++snapshot.topic_count;
    if (snapshot.detail != MetricsDetail::kBroker && last != nullptr)
      snapshot.topics.push_back({name, static_cast<std::size_t>(topic->partition_count), last->counters()});
  }
  snapshot.all_topics = shard.counters();
  snapshot.log = shard.log_figures();
  snapshot.fetch_sessions = node.fetch_sessions.size();
  snapshot.waiting_for_room = shard.room_waiter_count();
  snapshot.request_memory = figures_of(node.request_bytes);
  snapshot.fetch_memory = figures_of(node.fetch_bytes);
  snapshot.node_id = node.facts.node_id;
}

}  // namespace braid::broker
