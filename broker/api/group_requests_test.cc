// Members of groups through their requests, in all versions: a node in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "broker/api/api_table.h"
#include "broker/api/test_groups.h"
#include "protocol/messages/16_list_groups.h"
#include "protocol/messages/47_offset_delete.h"

namespace braid::broker {
namespace {

// -- finding the coordinator

TEST(FindCoordinator, NamesThisBrokerInEveryVersionAndMakesTheInternalTopic) {
  GroupNode node;
  for (std::int16_t version = 0; version <= 5; ++version) {
    FindCoordinatorRequest request;
    const std::string_view keys[] = {"g", "other"};
    if (version >= 4) {
      request.coordinator_keys = keys;
    } else {
      request.key = "g";
    }
    const auto response = node.ask<FindCoordinatorResponse>(request, version);
    if (version < 4) {
      EXPECT_EQ(response.node_id.value, 1) << version;
      EXPECT_EQ(response.host, "host");
      EXPECT_EQ(response.port, 9092);
      continue;
    }
    ASSERT_EQ(response.coordinators.size(), 2U);
    EXPECT_EQ(response.coordinators[1].key, "other");
    EXPECT_EQ(response.coordinators[1].node_id.value, 1);
  }
  const auto image = node.node().metadata.image();
  const TopicImage* const topic = image->find("__consumer_offsets");
  ASSERT_NE(topic, nullptr);
  EXPECT_EQ(topic->partition_count, 3);
  EXPECT_EQ(topic->configs.at("cleanup.policy"), "compact");
}

TEST(FindCoordinator, OtherKindsOfKeysHaveTheirErrors) {
  GroupNode node;
  FindCoordinatorRequest request;
  const std::string_view key = "k";
  request.coordinator_keys = {&key, 1};
  request.key_type = 1;
  EXPECT_EQ(node.ask<FindCoordinatorResponse>(request, 5).coordinators[0].error_code,
            ErrorCode::kTransactionalIdAuthorizationFailed);
  request.key_type = 2;
  EXPECT_EQ(node.ask<FindCoordinatorResponse>(request, 5).coordinators[0].error_code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(node.node().metadata.image()->find("__consumer_offsets"), nullptr);
}

TEST(FindCoordinator, TheVersionForShareGroupsIsNotServed) {
  const ServedApi* const served = find_served(served_apis(), 10);
  ASSERT_NE(served, nullptr);
  EXPECT_EQ(served->served_max, 5);
}

TEST(FindCoordinator, ManyAtOnceMakeOneTopic) {
  GroupNode node;
  FindCoordinatorRequest request;
  request.key = "g";
  for (int i = 0; i < 10; ++i) node.send(frame_of(request, 3));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(std::holds_alternative<Reply>(node.answer()));
  EXPECT_EQ(node.node().groups.logs().size(), 3U);
}

TEST(GroupRequests, BeforeAnybodyLookedForACoordinatorThereIsNone) {
  GroupNode node;
  EXPECT_EQ(join(node).error, ErrorCode::kNotCoordinator);
  EXPECT_EQ(fetch(node).error, ErrorCode::kNotCoordinator);
  EXPECT_EQ(describe(node).error, ErrorCode::kNotCoordinator);
  const auto listed = node.ask<ListGroupsResponse>(ListGroupsRequest{}, 5);
  EXPECT_EQ(listed.error_code, ErrorCode::kNone);
  EXPECT_TRUE(listed.groups.empty());
}

// -- members

TEST(GroupRequests, AMemberLivesInEveryVersion) {
  GroupNode node;
  ASSERT_EQ(node.find_coordinator(), ErrorCode::kNone);
  for (std::int16_t version = 0; version <= 9; ++version) {
    const auto upto = [&](std::int16_t last) { return std::min(version, last); };
    if (version >= 4) {
      EXPECT_EQ(join(node, {.version = version}).error, ErrorCode::kMemberIdRequired) << version;
    }
    const Membership member = join_fully(node, {.version = version});
    ASSERT_EQ(member.error, ErrorCode::kNone) << version;
    EXPECT_EQ(member.leader, member.id);
    EXPECT_EQ(member.members, 1U);
    const Synced synced = sync(node, member, upto(5));
    EXPECT_EQ(synced.error, ErrorCode::kNone);
    EXPECT_EQ(synced.assignment, "mine");
    EXPECT_EQ(heartbeat(node, member, upto(4)), ErrorCode::kNone);
    EXPECT_EQ(describe(node, upto(6)).state, "Stable");
    EXPECT_EQ(leave(node, member.id, upto(5)), ErrorCode::kNone);
    EXPECT_EQ(leave(node, member.id, upto(5)), ErrorCode::kUnknownMemberId);
    EXPECT_EQ(describe(node, upto(6)).state, "Empty");
  }
}

TEST(GroupRequests, FollowersAreAnsweredWhenTheLeaderHasAssigned) {
  GroupNode node;
  node.find_coordinator();
  const Membership first = join_fully(node, {.version = 3});
  sync(node, first);
  with_join({.version = 3}, [&](const JoinGroupRequest& request) { node.send(frame_of(request, 3)); });
  const auto rejoin = [&](const JoinGroupRequest& request) { node.send(frame_of(request, 3)); };
  with_join({.member_id = first.id, .version = 3}, rejoin);
  std::vector<Bytes> answers;
  for (int i = 0; i < 2; ++i) answers.push_back(joined(std::get<Reply>(node.answer())));
  Arena arena;
  std::vector<JoinGroupResponse> responses(2);
  for (std::size_t i = 0; i < 2; ++i) {
    Reader in(ByteView(answers[i]).subspan(reply_header_bytes({find_api(JoinGroupRequest::kApiKey), 3, 0})));
    ASSERT_TRUE(decode(in, 3, arena, responses[i]).has_value());
    EXPECT_EQ(responses[i].error_code, ErrorCode::kNone);
    EXPECT_EQ(responses[i].generation_id, 2);
    EXPECT_EQ(responses[i].leader, first.id);
  }
  EXPECT_TRUE(responses[0].members.empty());
  EXPECT_EQ(responses[1].members.size(), 2U);

  SyncGroupRequest follower;
  follower.group_id = "g";
  follower.generation_id = 2;
  follower.member_id = responses[0].member_id;
  node.send(frame_of(follower, 3));
  SyncGroupRequest leader = follower;
  leader.member_id = first.id;
  const SyncGroupRequest::Assignment assignment{responses[0].member_id, bytes("yours")};
  leader.assignments = {&assignment, 1};
  node.send(frame_of(leader, 3));
  const Bytes answer = joined(std::get<Reply>(node.answer()));
  node.answer();
  Reader in(ByteView(answer).subspan(reply_header_bytes({find_api(SyncGroupRequest::kApiKey), 3, 0})));
  SyncGroupResponse response;
  ASSERT_TRUE(decode(in, 3, arena, response).has_value());
  EXPECT_EQ(text(response.assignment), "yours");
}

TEST(GroupRequests, AStaticMemberRestartsWithoutARebalanceAndIsRemovedByItsInstance) {
  GroupNode node;
  node.find_coordinator();
  const Membership before = join(node, {.instance = "i"});
  ASSERT_EQ(before.error, ErrorCode::kNone);
  EXPECT_TRUE(before.id.starts_with("i-"));
  EXPECT_EQ(before.id.size(), 2U + 36U) << "a UUID as Java writes it";
  sync(node, before, 5, "i");
  const Membership after = join(node, {.instance = "i"});
  EXPECT_EQ(after.generation, before.generation);
  EXPECT_NE(after.id, before.id);
  EXPECT_EQ(sync(node, after, 5, "i", "ignored").assignment, "mine");
  EXPECT_EQ(leave(node, "", 3, "i"), ErrorCode::kNone);
  EXPECT_EQ(describe(node).state, "Empty");
}

TEST(GroupRequests, AnEmptyGroupNameIsRefusedWhereMembersAreMeant) {
  GroupNode node;
  node.find_coordinator();
  EXPECT_EQ(join(node, {.group = ""}).error, ErrorCode::kInvalidGroupId);
  EXPECT_EQ(node.ask<SyncGroupResponse>(SyncGroupRequest{}, 4).error_code, ErrorCode::kInvalidGroupId);
  EXPECT_EQ(node.ask<HeartbeatResponse>(HeartbeatRequest{}, 4).error_code, ErrorCode::kInvalidGroupId);
  EXPECT_EQ(node.ask<LeaveGroupResponse>(LeaveGroupRequest{}, 4).error_code, ErrorCode::kInvalidGroupId);
  EXPECT_EQ(node.ask<OffsetDeleteResponse>(OffsetDeleteRequest{}, 0).error_code, ErrorCode::kInvalidGroupId);
  create_topic(node, "t");
  EXPECT_EQ(commit(node, 1, {.group = ""}), ErrorCode::kNone) << "old simple consumers have no name";
  EXPECT_EQ(fetch(node, 9, {}, false, "").offset, 1);
}

TEST(GroupRequests, SyncMustNameTheProtocolFromVersionFiveOn) {
  GroupNode node;
  node.find_coordinator();
  const Membership member = join_fully(node);
  SyncGroupRequest request;
  request.group_id = "g";
  request.generation_id = member.generation;
  request.member_id = member.id;
  EXPECT_EQ(node.ask<SyncGroupResponse>(request, 5).error_code, ErrorCode::kInconsistentGroupProtocol);
  EXPECT_EQ(node.ask<SyncGroupResponse>(request, 4).error_code, ErrorCode::kNone);
}

TEST(GroupRequests, ASilentMemberEndsByTheBrokersOwnTimer) {
  GroupNode node(quick({{"group.min.session.timeout.ms", "20"}}));
  node.find_coordinator();
  sync(node, join_fully(node, {.session_timeout_ms = 20}));
  while (describe(node).state != "Empty") {
  }
  EXPECT_EQ(describe(node).members, 0U);
}

TEST(GroupRequests, AStopTellsMembersThatWait) {
  GroupNode node({{"group.initial.rebalance.delay.ms", "600000"}, {"offsets.topic.num.partitions", "3"}});
  node.find_coordinator();
  with_join({.version = 3}, [&](const JoinGroupRequest& request) { node.send(frame_of(request, 3)); });
  node.run_until([&] { return !node.log_of_g().machine().list().empty(); });
  EXPECT_FALSE(node.answer_if_ready());
  node.node().groups.end_waiting();
  EXPECT_TRUE(std::holds_alternative<Reply>(node.answer()));
}

}  // namespace
}  // namespace braid::broker
