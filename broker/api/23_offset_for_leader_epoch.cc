// OffsetForLeaderEpoch, key 23, versions 2-4: where an epoch of a partition ended, so that a client sees whether what
// it has read is still there (KIP-101, KIP-320).
//
// - The current epoch ends at the log's end; an older one where the next began, told with the largest epoch at or below
//   the asked one that has records. One before all known ones is told with the start of the first. Above the current,
//   or negative: -1 and -1, no error.
// - The client's own idea of the current epoch is checked: FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH.
// - 3 the id of a replica, which is served like a consumer.
#include "broker/api/23_offset_for_leader_epoch.h"

#include <memory>
#include <utility>
#include <vector>

#include "broker/api/error_map.h"
#include "broker/api/later.h"
#include "broker/partition/epoch_end.h"
#include "protocol/messages/23_offset_for_leader_epoch.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::OffsetForLeaderEpochRequest;
using protocol::OffsetForLeaderEpochResponse;
using Asked = OffsetForLeaderEpochRequest::OffsetForLeaderPartition;
using Told = OffsetForLeaderEpochResponse::EpochEndOffset;

Told look_up(Shard& shard, const TopicImage* topic, const Asked& asked) {
  Told told;
  told.partition = asked.partition;
  const Partition* const partition = topic == nullptr ? nullptr : shard.find(topic->id, asked.partition);
  if (partition == nullptr) {
    told.error_code = ErrorCode::kUnknownTopicOrPartition;
    return told;
  }
  if (const auto checked = partition->check_leader_epoch(asked.current_leader_epoch); checked.has_error()) {
    told.error_code = to_kafka(checked.error());
    return told;
  }
  const EpochEnd end = find_epoch_end(shard.view(*partition), partition->leader_epoch().value, asked.leader_epoch);
  told.leader_epoch = end.epoch;
  told.end_offset = end.end_offset;
  return told;
}

boost::asio::awaitable<void> find_epochs(Node& node,
                                         std::unique_ptr<KeptRequest<OffsetForLeaderEpochRequest>> request) {
  const auto image = node.metadata.image();
  const auto& topics = request->message.topics;
  std::vector<std::vector<Told>> told(topics.size());
  std::vector<OffsetForLeaderEpochResponse::OffsetForLeaderTopicResult> answers;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const TopicImage* const topic = image->find(topics[i].topic);
    for (const Asked& asked : topics[i].partitions) told[i].push_back(look_up(node.shard, topic, asked));
    answers.push_back({topics[i].topic, told[i]});
  }
  OffsetForLeaderEpochResponse response;
  response.topics = answers;
  request->reply(response);
  co_return;
}

}  // namespace

protocol::Result<Answer> answer_offset_for_leader_epoch(RequestContext& context) {
  return answer_later<OffsetForLeaderEpochRequest>(context, find_epochs);
}

}  // namespace braid::broker
