// ListConfigResources, key 74, versions 0-1: what has a configuration.
//
// - By type: topics, this broker, its loggers; none of client metrics and groups, whose configurations can't be set
//   yet. No type: all of these. Another type: UNSUPPORTED_VERSION for the whole.
// - 0 was ListClientMetricsResources: client metrics alone; 1 the types.
#include "broker/api/74_list_config_resources.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "broker/api/config_resource.h"
#include "broker/api/node.h"
#include "protocol/messages/74_list_config_resources.h"

namespace braid::broker {
namespace {

using protocol::ListConfigResourcesRequest;
using protocol::ListConfigResourcesResponse;
using Told = ListConfigResourcesResponse::ConfigResource;

constexpr std::array kAllTypes = {
    static_cast<std::int8_t>(ConfigResource::kTopic), static_cast<std::int8_t>(ConfigResource::kBroker),
    static_cast<std::int8_t>(ConfigResource::kBrokerLogger), static_cast<std::int8_t>(ConfigResource::kClientMetrics),
    static_cast<std::int8_t>(ConfigResource::kGroup)};

std::vector<std::int8_t> wanted_types(const ListConfigResourcesRequest& request, std::int16_t version) {
  if (version == 0) return {static_cast<std::int8_t>(ConfigResource::kClientMetrics)};
  if (request.resource_types.empty()) return {kAllTypes.begin(), kAllTypes.end()};
  std::vector<std::int8_t> types(request.resource_types.begin(), request.resource_types.end());
  std::ranges::sort(types);
  types.erase(std::ranges::unique(types).begin(), types.end());
  return types;
}

void add(std::int8_t type, const MetadataImage& image, std::string_view node_id, std::vector<Told>& all) {
  switch (static_cast<ConfigResource>(type)) {
    case ConfigResource::kTopic:
      for (const auto& [name, topic] : image.by_name) all.push_back({name, type});
      break;
    case ConfigResource::kBroker:
    case ConfigResource::kBrokerLogger:
      all.push_back({node_id, type});
      break;
    case ConfigResource::kClientMetrics:
    case ConfigResource::kGroup:
      break;
  }
}

}  // namespace

protocol::Result<Answer> answer_list_config_resources(RequestContext& context) {
  ListConfigResourcesRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  const auto image = context.node.metadata.image();
  const std::string node_id = std::to_string(context.node.facts.node_id);
  ListConfigResourcesResponse response;
  std::vector<Told> all;
  for (const std::int8_t type : wanted_types(request, context.version())) {
    if (std::ranges::find(kAllTypes, type) == kAllTypes.end())
      response.error_code = protocol::ErrorCode::kUnsupportedVersion;
    add(type, *image, node_id, all);
  }
  if (response.error_code == protocol::ErrorCode::kNone) response.config_resources = all;
  return Answer(make_reply(context.head(), response));
}

}  // namespace braid::broker
