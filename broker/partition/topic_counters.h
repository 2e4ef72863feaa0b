#pragma once

#include <cstdint>

namespace braid::broker {

/// What was done with one topic, or with all of them, since the start; Kafka's BrokerTopicMetrics. The lane's.
struct TopicCounters {
  std::uint64_t messages_in = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t bytes_rejected = 0;    // of batches that were too large
  std::uint64_t produce_requests = 0;  // one a partition of a request
  std::uint64_t fetch_requests = 0;
  std::uint64_t failed_produce_requests = 0;
  std::uint64_t failed_fetch_requests = 0;
  std::uint64_t invalid_crc = 0;  // batches, from here on
  std::uint64_t invalid_magic = 0;
  std::uint64_t without_key = 0;  // of a compacted topic
  std::uint64_t out_of_sequence = 0;

  bool operator==(const TopicCounters&) const = default;
};

}  // namespace braid::broker
