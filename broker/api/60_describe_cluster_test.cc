// DescribeCluster through dispatch.
#include "broker/api/60_describe_cluster.h"

#include <gtest/gtest.h>

#include "broker/api/authorized_operations.h"
#include "broker/api/test_node.h"
#include "protocol/messages/03_metadata.h"
#include "protocol/messages/60_describe_cluster.h"

namespace braid::broker {
namespace {

using protocol::DescribeClusterRequest;
using protocol::DescribeClusterResponse;
using protocol::ErrorCode;

TEST(DescribeCluster, SaysWhatMetadataSays) {
  TestNode node;
  node.facts().rack = "r1";
  const auto metadata = node.ask<protocol::MetadataResponse>(protocol::MetadataRequest{}, 12);
  const std::string cluster_id(*metadata.cluster_id);
  const protocol::BrokerId controller = metadata.controller_id;
  for (std::int16_t version = 0; version <= 2; ++version) {
    const auto response = node.ask<DescribeClusterResponse>(DescribeClusterRequest{}, version);
    EXPECT_EQ(response.error_code, ErrorCode::kNone);
    EXPECT_FALSE(response.error_message);
    EXPECT_EQ(response.endpoint_type, 1);
    EXPECT_EQ(response.cluster_id, cluster_id);
    EXPECT_EQ(response.controller_id, controller);
    ASSERT_EQ(response.brokers.size(), 1U);
    EXPECT_EQ(response.brokers[0].broker_id, controller);
    EXPECT_EQ(response.brokers[0].host, "host");
    EXPECT_EQ(response.brokers[0].port, 9092);
    EXPECT_EQ(response.brokers[0].rack, "r1");
    EXPECT_FALSE(response.brokers[0].is_fenced);
    EXPECT_EQ(response.cluster_authorized_operations, kOperationsNotAsked);
  }
}

TEST(DescribeCluster, ListsOperationsWhenAsked) {
  TestNode node;
  DescribeClusterRequest request;
  request.include_cluster_authorized_operations = true;
  EXPECT_EQ(node.ask<DescribeClusterResponse>(request, 0).cluster_authorized_operations, kClusterOperations);
}

TEST(DescribeCluster, DescribesNoOtherEndpointsThanBrokers) {
  TestNode node;
  DescribeClusterRequest request;
  for (const auto& [type, error] : {std::pair<std::int8_t, ErrorCode>{2, ErrorCode::kMismatchedEndpointType},
                                    {0, ErrorCode::kUnsupportedEndpointType},
                                    {3, ErrorCode::kUnsupportedEndpointType}}) {
    request.endpoint_type = type;
    const auto response = node.ask<DescribeClusterResponse>(request, 1);
    EXPECT_EQ(response.error_code, error) << int{type};
    EXPECT_FALSE(response.error_message->empty());
    EXPECT_TRUE(response.brokers.empty());
  }
}

}  // namespace
}  // namespace braid::broker
