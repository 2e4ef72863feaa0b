// AlterPartitionReassignments, key 45, versions 0-1: partitions move to other brokers.
//
// - Every partition is on this broker alone: to be moved there is a success that changes nothing, to be moved anywhere
//   else INVALID_REPLICA_ASSIGNMENT. Null replicas cancel what is in progress: NO_REASSIGNMENT_IN_PROGRESS.
// - A partition that is not here: UNKNOWN_TOPIC_OR_PARTITION.
// - 1 may forbid that the number of replicas changes, which it never does.
#include "broker/api/45_alter_partition_reassignments.h"

#include <optional>
#include <vector>

#include "broker/api/mapped.h"
#include "broker/api/node.h"
#include "protocol/messages/45_alter_partition_reassignments.h"

namespace braid::broker {
namespace {

using protocol::AlterPartitionReassignmentsRequest;
using protocol::AlterPartitionReassignmentsResponse;
using protocol::ErrorCode;
using AskedPartition = AlterPartitionReassignmentsRequest::ReassignablePartition;
using Told = AlterPartitionReassignmentsResponse::ReassignableTopicResponse;
using ToldPartition = AlterPartitionReassignmentsResponse::ReassignablePartitionResponse;

ToldPartition reassign(const TopicImage* topic, const AskedPartition& asked, std::int32_t node_id) {
  ToldPartition told;
  told.partition_index = asked.partition_index;
  told.error_message = std::nullopt;
  const auto refuse = [&told](ErrorCode error, std::string_view message) {
    told.error_code = error;
    told.error_message = message;
    return told;
  };
  if (topic == nullptr || asked.partition_index < 0 || asked.partition_index >= topic->partition_count)
    return refuse(ErrorCode::kUnknownTopicOrPartition, "This server does not host this topic-partition.");
  if (!asked.replicas) return refuse(ErrorCode::kNoReassignmentInProgress, "No partition reassignment is in progress.");
  if (asked.replicas->size() != 1 || asked.replicas->front().value != node_id)
    return refuse(ErrorCode::kInvalidReplicaAssignment,
                  "The only broker of this cluster is the only one that a partition can be on.");
  return told;
}

}  // namespace

protocol::Result<Answer> answer_alter_partition_reassignments(RequestContext& context) {
  AlterPartitionReassignmentsRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  const auto image = context.node.metadata.image();
  std::vector<Told> all;
  for (const auto& asked : request.topics) {
    const TopicImage* const topic = image->find(asked.name);
    all.push_back({asked.name, mapped(context.arena, asked.partitions, [&](const AskedPartition& partition) {
                     return reassign(topic, partition, context.node.facts.node_id);
                   })});
  }
  if (context.arena.exhausted()) return make_error_code(protocol::Errc::too_large);
  AlterPartitionReassignmentsResponse response;
  response.error_message = std::nullopt;
  response.allow_replication_factor_change = request.allow_replication_factor_change;
  response.responses = all;
  return Answer(make_reply(context.head(), response));
}

}  // namespace braid::broker
