// Metadata, key 3, versions 0-13: brokers, topics, and who leads what. The bootstrap of every client.
//
// - Topics: version 0: none named means all; from 1 on null means all and none named means none (clients learn brokers
//   so). From 12 on a topic may be asked for by its id; in 10 and 11, where ids and null names are only on the wire,
//   that is INVALID_REQUEST. A topic named twice is answered once.
// - A named topic that is missing is made, if the request (from 4 on), auto.create.topics.enable and its name allow it,
//   and answered whole when it is durable; else UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID or
//   INVALID_TOPIC_EXCEPTION.
// - There is one broker: it leads every partition and is the controller. Its address is that of the listener that the
//   client came by.
// - 8 authorised operations, for topics and (8-10) the cluster, all of them as there are no access rules; 7 leader
// epochs.
#include "broker/api/03_metadata.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "broker/api/authorized_operations.h"
#include "broker/api/later.h"
#include "broker/api/node.h"
#include "broker/metadata/topics.h"
#include "protocol/messages/03_metadata.h"

namespace braid::broker {
namespace {

using protocol::BrokerId;
using protocol::ErrorCode;
using protocol::MetadataRequest;
using protocol::MetadataResponse;

constexpr std::int16_t kNullMeansAllFrom = 1;
constexpr std::int16_t kIdsFrom = 12;
constexpr std::int16_t kTopLevelErrorFrom = 13;

struct Question {
  const MetadataRequest& request;
  const ReplyHead& head;
  const ClientFacts& client;
};

bool asks_for_all(const MetadataRequest& request, std::int16_t version) {
  return version < kNullMeansAllFrom ? !request.topics || request.topics->empty() : !request.topics;
}

bool names_by_id_too_early(const MetadataRequest& request, std::int16_t version) {
  return version < kIdsFrom && request.topics &&
         std::ranges::any_of(*request.topics, [](const auto& topic) { return !topic.name || !topic.topic_id.unset(); });
}

/// Builds one answer; what it points at lives as long as itself.
class MetadataAnswer {
 public:
  MetadataAnswer(Node& node, const Question& question)
      : node_(node), question_(question), image_(node.metadata.image()), self_{node.facts.node_id} {}

  Reply build() {
    MetadataResponse response;
    const AdvertisedAddress& address = node_.facts.address_for(question_.client.listener);
    MetadataResponse::Broker broker{self_, address.host, address.port, std::nullopt};
    if (!node_.facts.rack.empty()) broker.rack = node_.facts.rack;
    response.brokers = {&broker, 1};
    response.cluster_id = node_.facts.cluster_id;
    response.controller_id = self_;
    const std::int16_t version = question_.head.version;
    if (version >= 8 && version <= 10 && question_.request.include_cluster_authorized_operations)
      response.cluster_authorized_operations = kClusterOperations;
    if (names_by_id_too_early(question_.request, version)) {
      refuse_all();
      if (version >= kTopLevelErrorFrom) response.error_code = ErrorCode::kInvalidRequest;
    } else if (asks_for_all(question_.request, version)) {
      for (const auto& [name, topic] : image_->by_name) add(*topic);
    } else {
      add_asked();
    }
    response.topics = topics_;
    return make_reply(question_.head, response);
  }

 private:
  void refuse_all() {
    for (const auto& asked : *question_.request.topics) {
      MetadataResponse::Topic topic;
      topic.error_code = ErrorCode::kInvalidRequest;
      topic.name = asked.name.value_or("");
      topic.topic_id = asked.topic_id;
      topics_.push_back(topic);
    }
  }

  void add_asked() {
    std::set<std::pair<std::string_view, protocol::Uuid>> seen;
    for (const auto& asked : *question_.request.topics) {
      const bool by_id = !asked.name;
      if (!seen.emplace(asked.name.value_or(""), by_id ? asked.topic_id : protocol::Uuid{}).second) continue;
      const TopicImage* topic = by_id ? image_->find(asked.topic_id) : image_->find(*asked.name);
      if (topic != nullptr) {
        add(*topic);
      } else {
        add_missing(asked);
      }
    }
  }

  void add_missing(const MetadataRequest::Topic& asked) {
    MetadataResponse::Topic topic;
    topic.name = asked.name;
    if (!asked.name) {
      topic.topic_id = asked.topic_id;
      topic.error_code = ErrorCode::kUnknownTopicId;
    } else {
      topic.is_internal = is_internal_topic(*asked.name);
      topic.error_code =
          is_topic_name(*asked.name) ? ErrorCode::kUnknownTopicOrPartition : ErrorCode::kInvalidTopicException;
    }
    topics_.push_back(topic);
  }

  void add(const TopicImage& image) {
    MetadataResponse::Topic topic;
    topic.name = image.name;
    topic.topic_id = image.id;
    topic.is_internal = is_internal_topic(image.name);
    if (question_.request.include_topic_authorized_operations) topic.topic_authorized_operations = kTopicOperations;
    auto& partitions = partitions_.emplace_back(static_cast<std::size_t>(image.partition_count));
    for (std::int32_t i = 0; i < image.partition_count; ++i) {
      MetadataResponse::Partition& partition = partitions[static_cast<std::size_t>(i)];
      partition.partition_index = i;
      partition.leader_id = self_;
      partition.leader_epoch = node_.metadata.leader_epoch(image.id, i);
      partition.replica_nodes = {&self_, 1};
      partition.isr_nodes = {&self_, 1};
    }
    topic.partitions = partitions;
    topics_.push_back(topic);
  }

  Node& node_;
  const Question question_;
  const std::shared_ptr<const MetadataImage> image_;
  const BrokerId self_;
  std::vector<MetadataResponse::Topic> topics_;
  std::vector<std::vector<MetadataResponse::Partition>> partitions_;
};

/// Names that are missing and may be made.
std::vector<std::string> names_to_make(const Node& node, const MetadataRequest& request, std::int16_t version) {
  std::vector<std::string> names;
  if (!request.allow_auto_topic_creation || node.config.text("auto.create.topics.enable") != "true" ||
      asks_for_all(request, version) || names_by_id_too_early(request, version))
    return names;
  const auto image = node.metadata.image();
  for (const auto& asked : *request.topics) {
    if (asked.name && is_topic_name(*asked.name) && !is_internal_topic(*asked.name) &&
        image->find(*asked.name) == nullptr)
      names.emplace_back(*asked.name);
  }
  return names;
}

boost::asio::awaitable<void> make_and_answer(Node& node, std::unique_ptr<KeptRequest<MetadataRequest>> request) {
  for (std::string& name : names_to_make(node, request->message, request->head.version)) {
    NewTopic wanted;
    wanted.name = std::move(name);
    // Whatever became of it shows in the answer: another request may have made it first.
    static_cast<void>(co_await node.topics.create(std::move(wanted)));
  }
  request->promise.complete(MetadataAnswer(node, {request->message, request->head, request->client}).build());
}

}  // namespace

protocol::Result<Answer> answer_metadata(RequestContext& context) {
  MetadataRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  if (!names_to_make(context.node, request, context.version()).empty())
    return answer_later<MetadataRequest>(context, make_and_answer);
  const ReplyHead head = context.head();
  return Answer(MetadataAnswer(context.node, {request, head, context.client}).build());
}

}  // namespace braid::broker
