// OffsetCommit, key 8, versions 2-10: a group's places in partitions.
//
// - A topic or partition that is not there: UNKNOWN_TOPIC_OR_PARTITION for it, from 10 on, where topics are named by
//   id, UNKNOWN_TOPIC_ID; metadata above offset.metadata.max.bytes: OFFSET_METADATA_TOO_LARGE. The others go on.
// - A member commits in its generation: UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID (from 7 on), ILLEGAL_GENERATION,
//   REBALANCE_IN_PROGRESS while the group waits for its assignment. Without a generation anybody commits to a group
//   that has no members. A generation in a group that is not there: ILLEGAL_GENERATION, from 9 on GROUP_ID_NOT_FOUND.
// - Any offset is taken: one that is out of range shows when it is read. Leader epoch (from 6 on) and metadata come
// back
//   as they were sent. retention_time_ms (2-4), if it is not negative, is in place of offsets.retention.minutes.
// - Answered when it is durable.
#include "broker/api/08_offset_commit.h"

#include <memory>
#include <utility>
#include <vector>

#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "protocol/messages/08_offset_commit.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::OffsetCommitRequest;
using protocol::OffsetCommitResponse;
using ToldTopic = OffsetCommitResponse::Topic;
using ToldPartition = OffsetCommitResponse::Partition;

constexpr std::int16_t kOwnErrorFrom = 9;
constexpr std::int16_t kTopicIdsFrom = 10;

/// The answer, and which of its partitions the coordinator has to judge.
struct Sorted {
  std::vector<OffsetToCommit> offsets;
  std::vector<ToldPartition*> places;  // of each of them
};

Sorted sort(const OffsetCommitRequest& request, std::int16_t version, const MetadataImage& image,
            protocol::Arena& arena, std::span<ToldTopic> told) {
  Sorted sorted;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const auto& asked = request.topics[i];
    const bool by_id = version >= kTopicIdsFrom;
    const TopicImage* const topic = by_id ? image.find(asked.topic_id) : image.find(asked.name);
    const auto partitions = arena.array<ToldPartition>(asked.partitions.size());
    for (std::size_t place = 0; place < partitions.size(); ++place) {
      const auto& partition = asked.partitions[place];
      partitions[place].partition_index = partition.partition_index;
      if (topic == nullptr) {
        partitions[place].error_code = by_id ? ErrorCode::kUnknownTopicId : ErrorCode::kUnknownTopicOrPartition;
      } else if (partition.partition_index < 0 || partition.partition_index >= topic->partition_count) {
        partitions[place].error_code = ErrorCode::kUnknownTopicOrPartition;
      } else {
        sorted.offsets.push_back({topic->name, partition.partition_index, partition.committed_offset,
                                  partition.committed_leader_epoch, partition.committed_metadata.value_or("")});
        sorted.places.push_back(&partitions[place]);
      }
    }
    told[i].name = asked.name;
    told[i].topic_id = asked.topic_id;
    told[i].partitions = partitions;
  }
  return sorted;
}

boost::asio::awaitable<void> commit(Node& node, std::unique_ptr<KeptRequest<OffsetCommitRequest>> request) {
  const OffsetCommitRequest& asked = request->message;
  const GroupCoordinator::Access access = co_await node.groups.access(asked.group_id);
  const auto image = node.metadata.image();
  const auto topics = request->arena.array<ToldTopic>(asked.topics.size());
  Sorted sorted = sort(asked, request->head.version, *image, request->arena, topics);
  OffsetCommitResponse response;
  response.topics = topics;
  if (access.log == nullptr || sorted.offsets.empty()) {
    for (ToldPartition* const place : sorted.places) place->error_code = access.error;
    co_return request->reply(response);
  }
  CommitQuestion question;
  question.group_id = asked.group_id;
  question.claim = {asked.member_id, asked.group_instance_id, asked.generation_id_or_member_epoch};
  if (asked.retention_time_ms >= 0) question.retention_ms = asked.retention_time_ms;
  question.unknown_group_has_own_error = request->head.version >= kOwnErrorFrom;
  question.offsets = std::move(sorted.offsets);
  GroupOutcome outcome;
  const std::vector<ErrorCode> errors = access.log->machine().commit(question, node.groups.time(), outcome);
  for (std::size_t i = 0; i < errors.size(); ++i) sorted.places[i]->error_code = errors[i];
  const bool durable = co_await node.groups.settle(*access.log, std::move(outcome));
  reply_if_durable(durable, *request, response);
}

}  // namespace

protocol::Result<Answer> answer_offset_commit(RequestContext& context) {
  return answer_later<OffsetCommitRequest>(context, commit);
}

}  // namespace braid::broker
