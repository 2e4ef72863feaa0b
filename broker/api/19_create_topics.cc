// CreateTopics, key 19, versions 2-7: topics with so many partitions and their own configuration.
//
// - Each topic for itself: one that can't be made keeps no other from being made. A name twice in a request:
//   INVALID_REQUEST for it. -1 for partitions or replicas is the broker's default (from 4 on; earlier clients never
//   send it). An assignment in place of both must give each partition, from 0 on, to this broker.
// - Answered when all of it is durable; the topic is in the next Metadata answer. validate_only checks everything and
//   makes nothing.
// - 5 echoes partitions, replicas and every configuration value in force; 7 the new topic's id.
#include "broker/api/19_create_topics.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/api/later.h"
#include "broker/api/topic_config_lines.h"
#include "broker/config/value.h"
#include "protocol/messages/19_create_topics.h"

namespace braid::broker {
namespace {

using protocol::CreateTopicsRequest;
using protocol::CreateTopicsResponse;
using protocol::ErrorCode;
using Asked = CreateTopicsRequest::CreatableTopic;
using Told = CreateTopicsResponse::CreatableTopicResult;

struct Wish {
  NewTopic topic;
  std::optional<TopicOutcome> objection;
};

TopicOutcome refused(ErrorCode error, std::string message) { return {error, std::move(message), nullptr}; }

/// Partitions 0, 1, 2 …, each on this broker alone.
std::optional<TopicOutcome> assignment_objection(const Asked& asked, std::int32_t node_id) {
  if (asked.num_partitions != -1)
    return refused(ErrorCode::kInvalidRequest,
                   "A manual partition assignment was specified, but numPartitions was not set to -1.");
  if (asked.replication_factor != -1)
    return refused(ErrorCode::kInvalidRequest,
                   "A manual partition assignment was specified, but replication factor was not set to -1.");
  std::vector<bool> seen(asked.assignments.size());
  for (const auto& each : asked.assignments) {
    const bool in_range = each.partition_index >= 0 && static_cast<std::size_t>(each.partition_index) < seen.size();
    if (!in_range || seen[static_cast<std::size_t>(each.partition_index)])
      return refused(ErrorCode::kInvalidReplicaAssignment, "Partitions must be consecutive 0-based integers.");
    seen[static_cast<std::size_t>(each.partition_index)] = true;
    if (each.broker_ids.size() != 1 || each.broker_ids[0].value != node_id)
      return refused(ErrorCode::kInvalidReplicaAssignment,
                     "Every partition must be assigned to broker " + std::to_string(node_id) + ", the only one.");
  }
  return std::nullopt;
}

Wish wish_of(const Asked& asked, std::int32_t node_id) {
  Wish wish;
  wish.topic.name = asked.name;
  wish.topic.partition_count = asked.num_partitions;
  wish.topic.replication_factor = asked.replication_factor;
  if (!asked.assignments.empty()) {
    wish.objection = assignment_objection(asked, node_id);
    wish.topic.partition_count = static_cast<std::int32_t>(asked.assignments.size());
    wish.topic.replication_factor = 1;
  }
  for (const auto& config : asked.configs) {
    if (!config.value && !wish.objection)
      wish.objection =
          refused(ErrorCode::kInvalidConfig, "Null value not supported for topic configs: " + std::string(config.name));
    wish.topic.configs.insert_or_assign(std::string(config.name), std::string(trimmed(config.value.value_or(""))));
  }
  return wish;
}

Told told_of(const TopicOutcome& outcome, std::string_view name, const Node& node, protocol::Arena& arena) {
  Told told;
  told.name = name;
  told.error_code = outcome.error;
  if (!outcome.good()) {
    told.error_message = arena.copy(outcome.message);
    told.configs = std::nullopt;
    return told;
  }
  told.topic_id = outcome.topic->id;
  told.num_partitions = outcome.topic->partition_count;
  told.replication_factor = 1;
  const std::vector<TopicConfigLine> lines = topic_config_lines(outcome.topic->configs, node.config);
  const auto configs = arena.array<CreateTopicsResponse::CreatableTopicConfigs>(lines.size());
  for (std::size_t i = 0; i < configs.size(); ++i) {
    configs[i].name = lines[i].key->key.name;
    if (lines[i].value) configs[i].value = arena.copy(*lines[i].value);
    configs[i].config_source = static_cast<std::int8_t>(lines[i].source);
  }
  told.configs = configs;
  return told;
}

boost::asio::awaitable<TopicOutcome> create_one(Node& node, const Asked& asked, bool validate_only) {
  Wish wish = wish_of(asked, node.facts.node_id);
  if (wish.objection) co_return *std::move(wish.objection);
  if (validate_only) co_return node.topics.preview(wish.topic);
  co_return co_await node.topics.create(std::move(wish.topic));
}

boost::asio::awaitable<void> create_topics(Node& node, std::unique_ptr<KeptRequest<CreateTopicsRequest>> request) {
  std::map<std::string_view, int> times;
  for (const Asked& asked : request->message.topics) ++times[asked.name];
  std::vector<Told> all;
  for (const Asked& asked : request->message.topics) {
    const int count = std::exchange(times[asked.name], 0);
    if (count == 0) continue;  // answered with the first of its name
    TopicOutcome outcome = refused(ErrorCode::kInvalidRequest, "Found multiple entries for this topic.");
    if (count == 1) outcome = co_await create_one(node, asked, request->message.validate_only);
    all.push_back(told_of(outcome, asked.name, node, request->arena));
  }
  CreateTopicsResponse response;
  response.topics = all;
  request->reply(response);
}

}  // namespace

protocol::Result<Answer> answer_create_topics(RequestContext& context) {
  return answer_later<CreateTopicsRequest>(context, create_topics);
}

}  // namespace braid::broker
