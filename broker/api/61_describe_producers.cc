// DescribeProducers, key 61, version 0: the idempotent producers that a partition remembers, by rising id.
//
// - Those that were silent longer than producer.id.expiration.ms are not among them.
// - There are no transactions yet: no coordinator's epoch, and no transaction is open (-1 each).
#include "broker/api/61_describe_producers.h"

#include <memory>
#include <utility>
#include <vector>

#include "broker/api/later.h"
#include "protocol/messages/61_describe_producers.h"

namespace braid::broker {
namespace {

using protocol::DescribeProducersRequest;
using protocol::DescribeProducersResponse;
using Told = DescribeProducersResponse::PartitionResponse;
using State = DescribeProducersResponse::ProducerState;

Told describe(Node& node, const TopicImage* topic, std::int32_t index, protocol::Arena& arena) {
  Told told;
  told.partition_index = index;
  Partition* const partition = topic == nullptr ? nullptr : node.shard.find(topic->id, index);
  if (partition == nullptr) {
    told.error_code = protocol::ErrorCode::kUnknownTopicOrPartition;
    return told;
  }
  const auto listed = node.shard.producers(*partition, node.clock.wall_now()).list();
  const auto states = arena.array<State>(listed.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    states[i].producer_id = listed[i].producer;
    states[i].producer_epoch = listed[i].epoch;
    states[i].last_sequence = listed[i].last_sequence;
    states[i].last_timestamp = listed[i].last_timestamp;
    states[i].coordinator_epoch = -1;
  }
  told.active_producers = states;
  return told;
}

boost::asio::awaitable<void> describe_all(Node& node, std::unique_ptr<KeptRequest<DescribeProducersRequest>> request) {
  const auto image = node.metadata.image();
  const auto& topics = request->message.topics;
  std::vector<std::vector<Told>> told(topics.size());
  std::vector<DescribeProducersResponse::TopicResponse> answers;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const TopicImage* const topic = image->find(topics[i].name);
    for (const std::int32_t index : topics[i].partition_indexes)
      told[i].push_back(describe(node, topic, index, request->arena));
    answers.push_back({topics[i].name, told[i]});
  }
  DescribeProducersResponse response;
  response.topics = answers;
  request->reply(response);
  co_return;
}

}  // namespace

protocol::Result<Answer> answer_describe_producers(RequestContext& context) {
  return answer_later<DescribeProducersRequest>(context, describe_all);
}

}  // namespace braid::broker
