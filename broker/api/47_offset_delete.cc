// OffsetDelete, key 47, version 0: a group forgets what it committed for some partitions (KIP-496).
//
// - INVALID_GROUP_ID, GROUP_ID_NOT_FOUND; NON_EMPTY_GROUP for a group with members that are no consumers. For one
//   partition: GROUP_SUBSCRIBED_TO_TOPIC while a consumer of the group subscribes to its topic,
//   UNKNOWN_TOPIC_OR_PARTITION. One without an offset is no error. Answered when it is durable.
#include "broker/api/47_offset_delete.h"

#include <memory>
#include <utility>
#include <vector>

#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "protocol/messages/47_offset_delete.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::OffsetDeleteRequest;
using protocol::OffsetDeleteResponse;
using ToldTopic = OffsetDeleteResponse::Topic;
using ToldPartition = OffsetDeleteResponse::Partition;

/// The answer, and which of its partitions the coordinator has to judge.
struct Sorted {
  std::vector<GroupMachine::PartitionOfTopic> partitions;
  std::vector<ToldPartition*> places;
};

Sorted sort(const OffsetDeleteRequest& request, const MetadataImage& image, protocol::Arena& arena,
            std::span<ToldTopic> told) {
  Sorted sorted;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const auto& asked = request.topics[i];
    const TopicImage* const topic = image.find(asked.name);
    const auto partitions = arena.array<ToldPartition>(asked.partitions.size());
    for (std::size_t place = 0; place < partitions.size(); ++place) {
      const std::int32_t index = asked.partitions[place].partition_index;
      partitions[place].partition_index = index;
      if (topic == nullptr || index < 0 || index >= topic->partition_count) {
        partitions[place].error_code = ErrorCode::kUnknownTopicOrPartition;
      } else {
        sorted.partitions.push_back({asked.name, index});
        sorted.places.push_back(&partitions[place]);
      }
    }
    told[i] = {asked.name, partitions};
  }
  return sorted;
}

boost::asio::awaitable<void> remove(Node& node, std::unique_ptr<KeptRequest<OffsetDeleteRequest>> request) {
  const OffsetDeleteRequest& asked = request->message;
  OffsetDeleteResponse response;
  response.error_code = ErrorCode::kInvalidGroupId;
  if (asked.group_id.empty()) co_return request->reply(response);
  const GroupCoordinator::Access access = co_await node.groups.access(asked.group_id);
  response.error_code = access.error;
  if (access.log == nullptr) co_return request->reply(response);
  const auto image = node.metadata.image();
  const auto topics = request->arena.array<ToldTopic>(asked.topics.size());
  const Sorted sorted = sort(asked, *image, request->arena, topics);
  GroupOutcome outcome;
  const GroupMachine::DeletedOffsets deleted =
      access.log->machine().delete_offsets(asked.group_id, sorted.partitions, outcome);
  response.error_code = deleted.error;
  for (std::size_t i = 0; i < deleted.errors.size(); ++i) sorted.places[i]->error_code = deleted.errors[i];
  if (deleted.error == ErrorCode::kNone) response.topics = topics;
  const bool durable = co_await node.groups.settle(*access.log, std::move(outcome));
  reply_if_durable(durable, *request, response);
}

}  // namespace

protocol::Result<Answer> answer_offset_delete(RequestContext& context) {
  return answer_later<OffsetDeleteRequest>(context, remove);
}

}  // namespace braid::broker
