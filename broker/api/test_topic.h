#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "broker/api/test_node.h"
#include "protocol/messages/19_create_topics.h"

namespace braid::broker {

using TestConfigs = std::vector<std::pair<std::string_view, std::string_view>>;

/// Makes a topic by request, for tests; the error of the answer.
inline protocol::ErrorCode create_topic(TestNode& node, std::string_view name, std::int32_t partitions = 1,
                                        const TestConfigs& configs = {}) {
  std::vector<protocol::CreateTopicsRequest::CreatableTopicConfig> given;
  for (const auto& [key, value] : configs) given.push_back({key, value});
  protocol::CreateTopicsRequest::CreatableTopic topic;
  topic.name = name;
  topic.num_partitions = partitions;
  topic.replication_factor = 1;
  topic.configs = given;
  protocol::CreateTopicsRequest request;
  request.topics = {&topic, 1};
  constexpr std::int16_t kVersion = 7;
  return node.ask<protocol::CreateTopicsResponse>(request, kVersion).topics[0].error_code;
}

/// The topic as the node has it now; it must be there.
inline MetadataImage::TopicPointer topic_of(TestNode& node, std::string_view name) {
  const auto image = node.node().metadata.image();
  const auto found = image->by_name.find(name);
  protocol::check(found != image->by_name.end(), "the topic is there");
  return found->second;
}

}  // namespace braid::broker
