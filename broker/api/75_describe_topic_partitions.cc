// DescribeTopicPartitions, key 75, version 0: topics and their partitions, in pages.
//
// - By rising name; none named: all. At most max.request.partition.size.limit partitions, or as many as are asked for,
//   but at least one; where that cuts, the answer has a cursor, and the next request goes on there.
// - A cursor's topic must be among those that are named, and its partition can't be negative: INVALID_REQUEST for each
//   topic. If the topic is gone, what comes after it is told.
// - A topic that is named and missing: UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION for what can't be a name.
// - Authorised operations are always there: all of them, as there are no access rules.
#include "broker/api/75_describe_topic_partitions.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "broker/api/authorized_operations.h"
#include "broker/api/node.h"
#include "protocol/messages/75_describe_topic_partitions.h"

namespace braid::broker {
namespace {

using protocol::BrokerId;
using protocol::DescribeTopicPartitionsRequest;
using protocol::DescribeTopicPartitionsResponse;
using protocol::ErrorCode;
using Topic = DescribeTopicPartitionsResponse::Topic;
using Partition = DescribeTopicPartitionsResponse::Partition;

/// Builds one page; what it points at lives as long as itself.
class Page {
 public:
  Page(const Node& node, const DescribeTopicPartitionsRequest& request, protocol::Arena& arena)
      : node_(node),
        request_(request),
        arena_(arena),
        image_(node.metadata.image()),
        self_{node.facts.node_id},
        room_(std::max<std::int64_t>(1, std::min<std::int64_t>(node.config.integer("max.request.partition.size.limit"),
                                                               request.response_partition_limit))) {}

  Reply build(const ReplyHead& head) {
    const std::set<std::string_view> names = wanted_names();
    DescribeTopicPartitionsResponse response;
    if (cursor_is_good(names)) {
      fill(names);
      response.next_cursor = next_;
    } else {
      refuse();
    }
    response.topics = topics_;
    return make_reply(head, response);
  }

 private:
  std::set<std::string_view> wanted_names() const {
    const std::string_view from = request_.cursor ? request_.cursor->topic_name : std::string_view{};
    std::set<std::string_view> names;
    for (const auto& asked : request_.topics)
      if (asked.name >= from) names.insert(asked.name);
    if (request_.topics.empty()) {
      for (auto at = image_->by_name.lower_bound(from); at != image_->by_name.end(); ++at) names.insert(at->first);
    }
    return names;
  }

  bool cursor_is_good(const std::set<std::string_view>& names) const {
    if (!request_.cursor) return true;
    const bool named = request_.topics.empty() || names.contains(request_.cursor->topic_name);
    return named && request_.cursor->partition_index >= 0;
  }

  void refuse() {
    for (const auto& asked : request_.topics) add_error(asked.name, ErrorCode::kInvalidRequest);
    if (topics_.empty()) add_error(request_.cursor->topic_name, ErrorCode::kInvalidRequest);
  }

  void fill(const std::set<std::string_view>& names) {
    for (const std::string_view name : names) {
      const TopicImage* const topic = image_->find(name);
      if (topic == nullptr) {
        add_error(name, is_topic_name(name) ? ErrorCode::kUnknownTopicOrPartition : ErrorCode::kInvalidTopicException);
        continue;
      }
      const bool cursor_is_here = request_.cursor && request_.cursor->topic_name == name;
      const std::int32_t first = cursor_is_here ? request_.cursor->partition_index : 0;
      if (room_ == 0) {
        cut_at(name, first);
        return;
      }
      const std::int64_t left = std::max<std::int64_t>(0, topic->partition_count - std::int64_t{first});
      const auto count = static_cast<std::int32_t>(std::min(left, room_));
      add(*topic, first, count);
      room_ -= count;
      if (count < left) {
        cut_at(name, first + count);
        return;
      }
    }
  }

  void cut_at(std::string_view name, std::int32_t partition) {
    DescribeTopicPartitionsResponse::Cursor cursor;
    cursor.topic_name = name;
    cursor.partition_index = partition;
    next_ = cursor;
  }

  void add_error(std::string_view name, ErrorCode error) {
    Topic topic;
    topic.error_code = error;
    topic.name = name;
    topic.is_internal = is_internal_topic(name);
    topics_.push_back(topic);
  }

  void add(const TopicImage& image, std::int32_t first, std::int32_t count) {
    Topic topic;
    topic.name = image.name;
    topic.topic_id = image.id;
    topic.is_internal = is_internal_topic(image.name);
    topic.topic_authorized_operations = kTopicOperations;
    const auto partitions = arena_.array<Partition>(static_cast<std::size_t>(count));
    std::int32_t index = first;
    for (Partition& partition : partitions) {
      partition.partition_index = index;
      partition.leader_id = self_;
      partition.leader_epoch = node_.metadata.leader_epoch(image.id, index);
      partition.replica_nodes = {&self_, 1};
      partition.isr_nodes = {&self_, 1};
      partition.eligible_leader_replicas = std::span<const BrokerId>{};
      partition.last_known_elr = std::span<const BrokerId>{};
      ++index;
    }
    topic.partitions = partitions;
    topics_.push_back(topic);
  }

  const Node& node_;
  const DescribeTopicPartitionsRequest& request_;
  protocol::Arena& arena_;
  const std::shared_ptr<const MetadataImage> image_;
  const BrokerId self_;
  std::int64_t room_;  // partitions that may still be added
  std::vector<Topic> topics_;
  std::optional<DescribeTopicPartitionsResponse::Cursor> next_;
};

}  // namespace

protocol::Result<Answer> answer_describe_topic_partitions(RequestContext& context) {
  DescribeTopicPartitionsRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  const ReplyHead head = context.head();
  return Answer(Page(context.node, request, context.arena).build(head));
}

}  // namespace braid::broker
