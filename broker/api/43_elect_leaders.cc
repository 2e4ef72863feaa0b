// ElectLeaders, key 43, versions 0-2: partitions get the leader that they should have.
//
// - The only replica of each partition leads it always: ELECTION_NOT_NEEDED. Null partitions: all, of which only those
//   are told that got another leader or failed, so none.
// - A partition that is not here: UNKNOWN_TOPIC_OR_PARTITION. A type of election other than preferred (0) and
//   unclean (1): INVALID_REQUEST for the whole, from version 1 on, which has the type.
// - 2 is flexible.
#include "broker/api/43_elect_leaders.h"

#include <vector>

#include "broker/api/mapped.h"
#include "broker/api/node.h"
#include "protocol/messages/43_elect_leaders.h"

namespace braid::broker {
namespace {

using protocol::ElectLeadersRequest;
using protocol::ElectLeadersResponse;
using protocol::ErrorCode;
using Told = ElectLeadersResponse::ReplicaElectionResult;
using ToldPartition = ElectLeadersResponse::PartitionResult;

constexpr std::int8_t kUnclean = 1;  // the last type

ToldPartition elect(const TopicImage* topic, std::int32_t index) {
  ToldPartition told;
  told.partition_id = index;
  if (topic == nullptr || index < 0 || index >= topic->partition_count) {
    told.error_code = ErrorCode::kUnknownTopicOrPartition;
    told.error_message = "This server does not host this topic-partition.";
  } else {
    told.error_code = ErrorCode::kElectionNotNeeded;
    told.error_message = "Leader election not needed for topic partition.";
  }
  return told;
}

}  // namespace

protocol::Result<Answer> answer_elect_leaders(RequestContext& context) {
  ElectLeadersRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  ElectLeadersResponse response;
  std::vector<Told> all;
  if (request.election_type < 0 || request.election_type > kUnclean) {
    response.error_code = ErrorCode::kInvalidRequest;
  } else if (request.topic_partitions) {
    const auto image = context.node.metadata.image();
    for (const auto& asked : *request.topic_partitions) {
      const TopicImage* const topic = image->find(asked.topic);
      all.push_back({asked.topic,
                     mapped(context.arena, asked.partitions, [&](std::int32_t index) { return elect(topic, index); })});
    }
    if (context.arena.exhausted()) return make_error_code(protocol::Errc::too_large);
  }
  response.replica_election_results = all;
  return Answer(make_reply(context.head(), response));
}

}  // namespace braid::broker
