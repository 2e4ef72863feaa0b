// CreatePartitions, key 37, versions 0-3: topics get more partitions.
//
// - One result for each topic; one that fails keeps no other from succeeding. A topic twice: INVALID_REQUEST.
// - The count must grow, else INVALID_PARTITIONS; UNKNOWN_TOPIC_OR_PARTITION. Assignments, if there are any, must give
//   each new partition to this broker, else INVALID_REPLICA_ASSIGNMENT.
// - Answered when all of it is durable. validate_only checks everything and makes nothing.
// - 2 is flexible; 3 is as 2, and its clients know that they may be throttled.
#include "broker/api/37_create_partitions.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/api/later.h"
#include "protocol/messages/37_create_partitions.h"

namespace braid::broker {
namespace {

using protocol::CreatePartitionsRequest;
using protocol::CreatePartitionsResponse;
using protocol::ErrorCode;
using Asked = CreatePartitionsRequest::CreatePartitionsTopic;
using Told = CreatePartitionsResponse::CreatePartitionsTopicResult;

TopicOutcome refused(ErrorCode error, std::string message) { return {error, std::move(message), nullptr}; }

/// Each new partition on this broker alone.
std::optional<TopicOutcome> assignment_objection(const Asked& asked, std::int32_t partition_count,
                                                 std::int32_t node_id) {
  if (!asked.assignments) return std::nullopt;
  const std::size_t added = static_cast<std::size_t>(asked.count - partition_count);
  if (asked.assignments->size() != added)
    return refused(ErrorCode::kInvalidReplicaAssignment,
                   "Attempted to add " + std::to_string(added) + " additional partition(s), but " +
                       std::to_string(asked.assignments->size()) + " assignment(s) were specified.");
  for (const auto& each : *asked.assignments) {
    if (each.broker_ids.size() != 1 || each.broker_ids[0].value != node_id)
      return refused(ErrorCode::kInvalidReplicaAssignment,
                     "Every partition must be assigned to broker " + std::to_string(node_id) + ", the only one.");
  }
  return std::nullopt;
}

std::optional<TopicOutcome> objection(const Node& node, const Asked& asked) {
  if (auto no = node.topics.growth_objection(asked.name, asked.count)) return no;
  const auto image = node.metadata.image();
  return assignment_objection(asked, image->find(asked.name)->partition_count, node.facts.node_id);
}

boost::asio::awaitable<TopicOutcome> grow_one(Node& node, const Asked& asked, bool validate_only) {
  if (auto no = objection(node, asked)) co_return *std::move(no);
  if (validate_only) co_return TopicOutcome{};
  std::string name(asked.name);
  co_return co_await node.topics.grow(std::move(name), asked.count);
}

boost::asio::awaitable<void> create_partitions(Node& node,
                                               std::unique_ptr<KeptRequest<CreatePartitionsRequest>> request) {
  std::map<std::string_view, int> times;
  for (const Asked& asked : request->message.topics) ++times[asked.name];
  std::vector<Told> all;
  for (const Asked& asked : request->message.topics) {
    const int count = std::exchange(times[asked.name], 0);
    if (count == 0) continue;  // answered with the first of its name
    TopicOutcome outcome = refused(ErrorCode::kInvalidRequest, "Duplicate topic name.");
    if (count == 1) outcome = co_await grow_one(node, asked, request->message.validate_only);
    Told& told = all.emplace_back();
    told.name = asked.name;
    told.error_code = outcome.error;
    if (!outcome.good()) told.error_message = request->arena.copy(outcome.message);
  }
  CreatePartitionsResponse response;
  response.results = all;
  request->reply(response);
}

}  // namespace

protocol::Result<Answer> answer_create_partitions(RequestContext& context) {
  return answer_later<CreatePartitionsRequest>(context, create_partitions);
}

}  // namespace braid::broker
