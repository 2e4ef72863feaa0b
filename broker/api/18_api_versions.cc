// ApiVersions, key 18, versions 0-5: what this broker serves. The first request of almost every client.
//
// - Answerable before login, and again at any time. The response header is version 0 in every version, so that a client
//   can read an answer that it did not expect.
// - A version that is not served is answered in the layout of version 0, with UNSUPPORTED_VERSION and the row of this
//   API; the request's body is not looked at.
// - From 3 on the client names its software; a name or version that is not one: INVALID_REQUEST.
// - Below 4, features whose lowest level is 0 are left out: clients of those versions can't read them.
// - From 5 on the client may say which cluster and node it means. One without the other is INVALID_REQUEST; another
//   than this is REBOOTSTRAP_REQUIRED, and the client starts again from its bootstrap servers.
#include "broker/api/18_api_versions.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "broker/api/api_table.h"
#include "protocol/base/limits.h"
#include "protocol/messages/18_api_versions.h"

namespace braid::broker {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;
using protocol::ErrorCode;

constexpr std::int16_t kSoftwareNamesFrom = 3;
constexpr std::int16_t kFeaturesWithLevelZeroFrom = 4;
constexpr std::int16_t kTargetFrom = 5;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

ApiVersionsResponse::ApiVersion row_of(const ServedApi& served) {
  return {static_cast<std::int16_t>(served.api->key), served.advertised_min, served.served_max};
}

/// In the layout that every client can read, with the one row that lets it choose a version.
Reply answer_unknown_version(const RequestContext& context) {
  const ServedApi* own = find_served(context.apis, ApiVersionsRequest::kApiKey);
  const ApiVersionsResponse::ApiVersion row = row_of(*own);
  ApiVersionsResponse response;
  response.error_code = ErrorCode::kUnsupportedVersion;
  response.api_keys = {&row, 1};
  ReplyHead head = context.head();
  head.version = 0;
  return make_reply(head, response);
}

/// The client means this cluster and node, or says nothing about them.
ErrorCode check_target(const ApiVersionsRequest& request, const BrokerFacts& broker) {
  constexpr std::int32_t kNoNode = -1;
  const bool names_node = request.node_id != kNoNode;
  if (request.cluster_id.has_value() != names_node) return ErrorCode::kInvalidRequest;
  if (!names_node) return ErrorCode::kNone;
  const bool is_this = *request.cluster_id == broker.cluster_id && request.node_id == broker.node_id;
  return is_this ? ErrorCode::kNone : ErrorCode::kRebootstrapRequired;
}

ErrorCode check_request(const ApiVersionsRequest& request, std::int16_t version, const BrokerFacts& broker) {
  if (version < kSoftwareNamesFrom) return ErrorCode::kNone;
  if (!is_software_name(request.client_software_name) || !is_software_name(request.client_software_version))
    return ErrorCode::kInvalidRequest;
  return version < kTargetFrom ? ErrorCode::kNone : check_target(request, broker);
}

void remember_software(const ApiVersionsRequest& request, ClientFacts& client) {
  client.software_name = request.client_software_name.substr(0, protocol::kSoftwareNameBytesMax);
  client.software_version = request.client_software_version.substr(0, protocol::kSoftwareNameBytesMax);
}

void list_apis(const RequestContext& context, ApiVersionsResponse& response) {
  const auto rows = context.arena.array<ApiVersionsResponse::ApiVersion>(context.apis.size());
  std::ranges::transform(context.apis.first(rows.size()), rows.begin(), row_of);
  response.api_keys = rows;
}

void list_features(const RequestContext& context, ApiVersionsResponse& response) {
  const std::span<const Feature> features = context.broker.features;
  const auto supported = context.arena.array<ApiVersionsResponse::SupportedFeatureKey>(features.size());
  const auto finalized = context.arena.array<ApiVersionsResponse::FinalizedFeatureKey>(features.size());
  std::size_t supported_count = 0;
  std::size_t finalized_count = 0;
  for (const Feature& feature : features.first(supported.size())) {
    if (feature.level_min > 0 || context.version() >= kFeaturesWithLevelZeroFrom)
      supported[supported_count++] = {feature.name, feature.level_min, feature.level_max};
    if (feature.finalized_level > 0)
      finalized[finalized_count++] = {feature.name, feature.finalized_level, feature.finalized_level};
  }
  response.supported_features = supported.first(supported_count);
  response.finalized_features = finalized.first(finalized_count);
  if (finalized_count > 0) response.finalized_features_epoch = 0;
}

}  // namespace

bool is_software_name(std::string_view text) {
  if (text.empty() || !is_letter_or_digit(text.front()) || !is_letter_or_digit(text.back())) return false;
  return std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '.'; });
}

protocol::Result<Answer> answer_api_versions(RequestContext& context) {
  const std::int16_t version = context.version();
  if (!find_served(context.apis, ApiVersionsRequest::kApiKey)->serves(version)) return answer_unknown_version(context);

  ApiVersionsRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, version, context.arena, request));

  ApiVersionsResponse response;
  response.error_code = check_request(request, version, context.broker);
  if (response.error_code == ErrorCode::kNone) {
    remember_software(request, context.client);
    list_apis(context, response);
    list_features(context, response);
  }
  return make_reply(context.head(), response);
}

}  // namespace braid::broker
