// DescribeConfigs, key 32, versions 1-4: every value in force, and where it comes from.
//
// - Topics: every key of a topic, its own value, else the broker's, else the default. Broker: by this one's id, every
//   key of the configuration; by an empty name, what is set for all brokers while they run: nothing. What is wrong with
//   a resource concerns that one alone: unknown topic UNKNOWN_TOPIC_OR_PARTITION, bad name INVALID_TOPIC_EXCEPTION,
//   another broker or another type INVALID_REQUEST.
// - Null keys: all; else those that exist of the named. Internal keys are shown only where they are set.
// - Synonyms, when asked for: all places that give the key a value, strongest first.
// - Secrets are null and said to be sensitive. Read-only: what Kafka does not let a running broker change.
// - 3 the type and, when asked for, what the key does; 4 is flexible.
#include "broker/api/32_describe_configs.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broker/api/config_lines.h"
#include "broker/api/config_resource.h"
#include "broker/api/node.h"
#include "protocol/messages/32_describe_configs.h"

namespace braid::broker {
namespace {

using protocol::DescribeConfigsRequest;
using protocol::DescribeConfigsResponse;
using protocol::ErrorCode;
using Asked = DescribeConfigsRequest::DescribeConfigsResource;
using Told = DescribeConfigsResponse::DescribeConfigsResult;
using Entry = DescribeConfigsResponse::DescribeConfigsResourceResult;
using Synonym = DescribeConfigsResponse::DescribeConfigsSynonym;

std::optional<std::string_view> copied(const std::optional<std::string>& text, protocol::Arena& arena) {
  if (!text) return std::nullopt;
  return arena.copy(*text);
}

Entry entry_of(const ConfigLine& line, const DescribeConfigsRequest& request, protocol::Arena& arena) {
  Entry entry;
  entry.name = arena.copy(line.name);
  entry.value = copied(line.value, arena);
  entry.read_only = line.read_only;
  entry.config_source = static_cast<std::int8_t>(line.source);
  entry.is_sensitive = line.key->sensitive;
  entry.config_type = type_number(line.key->type);
  entry.documentation = std::nullopt;
  if (request.include_documentation) entry.documentation = arena.copy(documentation_of(*line.key));
  if (request.include_synonyms) {
    const auto synonyms = arena.array<Synonym>(line.synonyms.size());
    for (std::size_t i = 0; i < synonyms.size(); ++i) {
      const ConfigSynonym& each = line.synonyms[i];
      synonyms[i] = {arena.copy(each.name), copied(each.value, arena), static_cast<std::int8_t>(each.source)};
    }
    entry.synonyms = synonyms;
  }
  return entry;
}

bool is_asked(const Asked& asked, std::string_view key) {
  return !asked.configuration_keys ||
         std::ranges::find(*asked.configuration_keys, key) != asked.configuration_keys->end();
}

void tell(const std::vector<ConfigLine>& lines, const Asked& asked, const DescribeConfigsRequest& request,
          protocol::Arena& arena, Told& told) {
  const auto entries = arena.array<Entry>(lines.size());
  std::size_t count = 0;
  for (const ConfigLine& line : lines) {
    if (!entries.empty() && is_asked(asked, line.name)) entries[count++] = entry_of(line, request, arena);
  }
  told.configs = entries.first(count);
}

Told told_of(const Asked& asked, const DescribeConfigsRequest& request, const Node& node, protocol::Arena& arena) {
  Told told;
  told.resource_type = asked.resource_type;
  told.resource_name = asked.resource_name;
  told.error_message = std::nullopt;
  const auto type = static_cast<ConfigResource>(asked.resource_type);
  if (const auto no = resource_objection(type, asked.resource_name, node.facts.node_id)) {
    told.error_code = no->error;
    told.error_message = arena.copy(no->message);
    return told;
  }
  if (type == ConfigResource::kBroker) {
    if (!asked.resource_name.empty()) tell(lines_of_broker(node.config), asked, request, arena, told);
    return told;
  }
  const auto image = node.metadata.image();
  if (const TopicImage* const topic = image->find(asked.resource_name)) {
    tell(lines_of_topic(topic->configs, node.config), asked, request, arena, told);
  } else {
    told.error_code = ErrorCode::kUnknownTopicOrPartition;
    told.error_message = "This server does not host this topic.";
  }
  return told;
}

}  // namespace

protocol::Result<Answer> answer_describe_configs(RequestContext& context) {
  DescribeConfigsRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  std::vector<Told> all;
  for (const Asked& asked : request.resources) all.push_back(told_of(asked, request, context.node, context.arena));
  // A request may name so many resources that their answer has no room: better none than half of one.
  if (context.arena.exhausted()) return make_error_code(protocol::Errc::too_large);
  DescribeConfigsResponse response;
  response.results = all;
  return Answer(make_reply(context.head(), response));
}

}  // namespace braid::broker
