// DescribeCluster, key 60, versions 0-2: the cluster's id, its controller, its brokers.
//
// - There is one broker, which is the controller; its address is that of the listener that the client came by.
// - 1 the kind of endpoint that is wanted: brokers, or controllers, which have no listener here:
//   MISMATCHED_ENDPOINT_TYPE; another kind: UNSUPPORTED_ENDPOINT_TYPE. 2 fenced brokers too: there are none.
// - Authorised operations, when asked for: all of them, as there are no access rules.
#include "broker/api/60_describe_cluster.h"

#include "broker/api/authorized_operations.h"
#include "broker/api/node.h"
#include "protocol/messages/60_describe_cluster.h"

namespace braid::broker {
namespace {

using protocol::DescribeClusterRequest;
using protocol::DescribeClusterResponse;
using protocol::ErrorCode;

constexpr std::int8_t kBrokers = 1;
constexpr std::int8_t kControllers = 2;

}  // namespace

protocol::Result<Answer> answer_describe_cluster(RequestContext& context) {
  DescribeClusterRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  const BrokerFacts& facts = context.node.facts;
  DescribeClusterResponse response;
  if (request.endpoint_type != kBrokers) {
    response.error_code = request.endpoint_type == kControllers ? ErrorCode::kMismatchedEndpointType
                                                                : ErrorCode::kUnsupportedEndpointType;
    response.error_message = "This listener is one for clients: it describes brokers.";
    return Answer(make_reply(context.head(), response));
  }
  const AdvertisedAddress& address = facts.address_for(context.client.listener);
  DescribeClusterResponse::DescribeClusterBroker broker;
  broker.broker_id = protocol::BrokerId{facts.node_id};
  broker.host = address.host;
  broker.port = address.port;
  if (!facts.rack.empty()) broker.rack = facts.rack;
  response.brokers = {&broker, 1};
  response.cluster_id = facts.cluster_id;
  response.controller_id = broker.broker_id;
  if (request.include_cluster_authorized_operations) response.cluster_authorized_operations = kClusterOperations;
  return Answer(make_reply(context.head(), response));
}

}  // namespace braid::broker
