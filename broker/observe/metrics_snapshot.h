#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "broker/observe/request_counters.h"
#include "broker/partition/shard.h"
#include "broker/partition/topic_counters.h"

namespace braid::broker {

/// The connections of one loop.
struct ConnectionFigures {
  std::map<std::string, std::uint64_t> by_listener;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> by_software;  // listener, name, version
  std::uint64_t accepted = 0;                                                              // since the start
  std::uint64_t misbehaved = 0;  // of them, closed for what they sent
  std::uint64_t receive_buffer_bytes = 0;
  std::uint64_t reply_bytes_queued = 0;
};

struct TopicFigures {
  std::string name;
  std::size_t partitions = 0;
  TopicCounters counters;
};

struct PartitionFigures {
  std::size_t topic = 0;  // place in `topics`
  std::int32_t index = 0;
  std::int64_t start = 0;
  std::int64_t high_watermark = 0;
  std::int64_t end = 0;
  std::int64_t size_bytes = 0;
  bool under_min_isr = false;
  bool at_min_isr = false;
};

/// One bounded part of the memory.
struct MemoryFigures {
  std::size_t used_bytes = 0;
  std::size_t limit_bytes = 0;
  std::size_t waiting = 0;  // who wait for it
};

/// How much a page of metrics tells.
enum class MetricsDetail : std::uint8_t { kBroker, kTopics, kPartitions };

/// All that is counted, at about one moment. Gathered by those who own the parts, then only read. A value.
struct MetricsSnapshot {
  MetricsDetail detail = MetricsDetail::kTopics;
  // Of the loops.
  std::map<std::int16_t, RequestSum> requests;
  std::vector<ConnectionFigures> loops;
  // Of the lane.
  TopicCounters all_topics;
  std::size_t topic_count = 0;
  std::size_t partition_count = 0;
  std::size_t under_min_isr = 0;
  std::size_t at_min_isr = 0;
  std::vector<TopicFigures> topics;          // from kTopics on
  std::vector<PartitionFigures> partitions;  // kPartitions
  Shard::LogFigures log;
  std::size_t fetch_sessions = 0;
  std::size_t waiting_for_room = 0;
  MemoryFigures request_memory;
  MemoryFigures fetch_memory;
  // Of the configuration.
  std::int32_t node_id = 0;
  std::string layout;
  std::int64_t tail_bytes_max = 0;
  bool running = true;  // not stopping
};

}  // namespace braid::broker
