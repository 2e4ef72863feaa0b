#include "broker/api/test_requests.h"

#include <array>

#include "protocol/base/check.h"
#include "protocol/messages/00_produce.h"
#include "protocol/messages/19_create_topics.h"
#include "protocol/records/test_batches.h"

namespace braid::broker {

using protocol::CreateTopicsRequest;
using protocol::CreateTopicsResponse;
using protocol::ProduceRequest;
using protocol::ProduceResponse;

protocol::Uuid create_topic(TestNode& node, const std::string& name, std::int32_t partitions,
                            const std::vector<std::pair<std::string, std::string>>& configs) {
  std::vector<CreateTopicsRequest::CreatableTopicConfig> given;
  given.reserve(configs.size());
  for (const auto& [key, value] : configs) given.push_back({key, value});
  CreateTopicsRequest::CreatableTopic topic;
  topic.name = name;
  topic.num_partitions = partitions;
  topic.replication_factor = 1;
  topic.configs = given;
  CreateTopicsRequest request;
  request.topics = {&topic, 1};
  const auto response = node.ask<CreateTopicsResponse>(request, 7);
  protocol::check(response.topics.size() == 1 && response.topics[0].error_code == protocol::ErrorCode::kNone,
                  "the topic is made");
  return response.topics[0].topic_id;
}

protocol::Bytes batch_of_values(const std::vector<std::string>& values, const protocol::BatchProperties& properties) {
  std::vector<protocol::OwnedRecord> records;
  records.reserve(values.size());
  for (const std::string& value : values)
    records.push_back({.timestamp = protocol::kExampleTimestamp, .key = {}, .value = value, .headers = {}});
  return protocol::build_owned(properties, records);
}

namespace {

/// Calls `use` with a request that lives so long.
template <class Use>
auto with_produce(const std::optional<protocol::ByteView>& records, const ProduceTo& to, Use use) {
  ProduceRequest::PartitionProduceData partition;
  partition.index = to.partition;
  partition.records = records;
  ProduceRequest::TopicProduceData topic;
  constexpr std::int16_t kTopicIdsFrom = 13;
  if (to.version >= kTopicIdsFrom) {
    topic.topic_id = to.id;
  } else {
    topic.name = to.topic;
  }
  topic.partition_data = {&partition, 1};
  ProduceRequest request;
  request.acks = to.acks;
  request.timeout_ms = to.timeout_ms;
  request.topic_data = {&topic, 1};
  return use(request);
}

}  // namespace

protocol::Bytes produce_frame(const std::optional<protocol::ByteView>& records, const ProduceTo& to) {
  return with_produce(records, to, [&](const ProduceRequest& request) { return frame_of(request, to.version); });
}

Produced produce(TestNode& node, const std::optional<protocol::ByteView>& records, const ProduceTo& to) {
  return with_produce(records, to, [&](const ProduceRequest& request) {
    const auto response = node.ask<ProduceResponse>(request, to.version);
    protocol::check(response.responses.size() == 1 && response.responses[0].partition_responses.size() == 1,
                    "each partition is answered");
    const auto& told = response.responses[0].partition_responses[0];
    Produced produced{told.error_code,
                      told.base_offset,
                      told.log_append_time_ms,
                      told.log_start_offset,
                      std::string(told.error_message.value_or("")),
                      {}};
    for (const auto& error : told.record_errors)
      produced.record_errors.emplace_back(error.batch_index, std::string(error.batch_index_error_message.value_or("")));
    return produced;
  });
}

}  // namespace braid::broker
