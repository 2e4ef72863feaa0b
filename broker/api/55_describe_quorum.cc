// DescribeQuorum, key 55, versions 0-2: who leads the log of the cluster's metadata, and who follows.
//
// - This broker leads it and is its only voter; nobody observes. The offsets are those of our own metadata log.
// - The log is partition 0 of __cluster_metadata; another: UNKNOWN_TOPIC_OR_PARTITION for it.
// - 1 when a replica fetched last: a leader has always just done so. 2 nodes with their listeners, and messages.
#include "broker/api/55_describe_quorum.h"

#include <vector>

#include "broker/api/later.h"
#include "broker/api/mapped.h"
#include "protocol/messages/55_describe_quorum.h"

namespace braid::broker {
namespace {

using protocol::DescribeQuorumRequest;
using protocol::DescribeQuorumResponse;
using protocol::ErrorCode;
using ToldPartition = DescribeQuorumResponse::PartitionData;

constexpr std::string_view kMetadataTopic = "__cluster_metadata";

/// The quorum of one.
class Quorum {
 public:
  explicit Quorum(const Node& node) : log_(node.metadata.log()) {
    leader_.replica_id = protocol::BrokerId{node.facts.node_id};
    leader_.log_end_offset = node.shard.view(log_).end.value;
    leader_.last_fetch_timestamp = node.clock.wall_now().milliseconds;
    leader_.last_caught_up_timestamp = leader_.last_fetch_timestamp;
  }

  ToldPartition tell(std::string_view topic, std::int32_t index) const {
    ToldPartition told;
    told.partition_index = index;
    if (topic != kMetadataTopic || index != 0) {
      told.error_code = ErrorCode::kUnknownTopicOrPartition;
      told.error_message = "There is no quorum of this partition: ask about partition 0 of __cluster_metadata.";
      return told;
    }
    told.leader_id = leader_.replica_id;
    told.leader_epoch = log_.leader_epoch().value;
    told.high_watermark = log_.high_watermark().value;
    told.current_voters = {&leader_, 1};
    return told;
  }

 private:
  const Partition& log_;
  DescribeQuorumResponse::ReplicaState leader_;
};

boost::asio::awaitable<void> describe(Node& node, std::unique_ptr<KeptRequest<DescribeQuorumRequest>> request) {
  const Quorum quorum(node);
  DescribeQuorumResponse response;
  std::vector<DescribeQuorumResponse::TopicData> topics;
  for (const auto& asked : request->message.topics) {
    topics.push_back({asked.topic_name, mapped(request->arena, asked.partitions, [&](const auto& partition) {
                        return quorum.tell(asked.topic_name, partition.partition_index);
                      })});
  }
  response.topics = topics;
  std::vector<DescribeQuorumResponse::Listener> listeners;
  listeners.reserve(node.facts.addresses.size());
  for (const AdvertisedAddress& address : node.facts.addresses)
    listeners.push_back({address.listener, address.host, address.port});
  DescribeQuorumResponse::Node self;
  self.node_id = protocol::BrokerId{node.facts.node_id};
  self.listeners = listeners;
  if (request->head.version >= 2) response.nodes = {&self, 1};
  request->reply(response);
  co_return;
}

}  // namespace

protocol::Result<Answer> answer_describe_quorum(RequestContext& context) {
  return answer_later<DescribeQuorumRequest>(context, describe);
}

}  // namespace braid::broker
