// Static members (KIP-345, KIP-814): instances that restart without a rebalance, and keep others out.
#include <gtest/gtest.h>

#include <chrono>

#include "broker/groups/test_world.h"

namespace braid::broker {
namespace {

using namespace std::chrono_literals;
using protocol::ErrorCode;
using World = GroupWorld;
using Member = GroupWorld::Member;

const Member kInstance{.instance = "i", .id_required = true};

TEST(StaticMembers, AnInstanceIsNeverToldItsIdFirst) {
  World world;
  const JoinAnswer member = world.settled_member(kInstance);
  EXPECT_EQ(member.error, ErrorCode::kNone);
  EXPECT_TRUE(member.member_id.starts_with("i-"));
}

TEST(StaticMembers, ARestartedInstanceGetsItsAssignmentBackWithoutARebalance) {
  World world;
  const auto before = world.settled_members({{}, kInstance});
  const JoinAnswer after = world.joined(world.join(kInstance));
  EXPECT_EQ(after.generation, before[1].generation);
  EXPECT_NE(after.member_id, before[1].member_id);
  EXPECT_EQ(world.state(), GroupState::kStable);
  EXPECT_EQ(World::text(world.synced(world.sync(after, {}, "i")).assignment), "1");
  EXPECT_EQ(world.heartbeat(before[1], "i"), ErrorCode::kFencedInstanceId);
  EXPECT_EQ(world.heartbeat(before[1]), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world.heartbeat(after, "i"), ErrorCode::kNone);
  world.restart();
  EXPECT_EQ(world.heartbeat(after, "i"), ErrorCode::kNone) << "the new id is durable";
}

TEST(StaticMembers, ARestartedLeaderIsToldToSkipTheAssignmentOrThatItDoesNotLead) {
  World world;
  const auto before = world.settled_members({kInstance, {}});
  Member skipping = kInstance;
  skipping.can_skip = true;
  const JoinAnswer skips = world.joined(world.join(skipping));
  EXPECT_TRUE(skips.skip_assignment);
  EXPECT_EQ(skips.leader, skips.member_id);
  EXPECT_EQ(skips.members.size(), 2U);
  const JoinAnswer older = world.joined(world.join(kInstance));
  EXPECT_FALSE(older.skip_assignment);
  EXPECT_EQ(older.leader, skips.member_id) << "an older client must not assign anew";
  EXPECT_TRUE(older.members.empty());
  EXPECT_EQ(World::text(world.synced(world.sync(older, {}, "i")).assignment), "0");
}

TEST(StaticMembers, AChangeOfTheChosenProtocolRebalances) {
  World world;
  Member both = kInstance;
  both.protocols = {{"a", ""}, {"b", ""}};
  world.settled_member(both);
  both.protocols = {{"b", ""}, {"a", ""}};
  EXPECT_EQ(world.joined(world.join(both)).generation, 2);
}

TEST(StaticMembers, TheOldOneIsFencedWhereverItWaits) {
  World world;
  const Ticket old = world.join(kInstance);
  world.join(kInstance);
  EXPECT_EQ(world.joined(old).error, ErrorCode::kFencedInstanceId);

  World syncing;
  const Ticket leader = syncing.join({});
  const Ticket instance = syncing.join(kInstance);
  syncing.advance(0ms);
  const Ticket waiting = syncing.sync(syncing.joined(instance), {}, "i");
  const Ticket fresh = syncing.join(kInstance);
  EXPECT_EQ(syncing.synced(waiting).error, ErrorCode::kFencedInstanceId);
  EXPECT_TRUE(syncing.waits(fresh)) << "the assignment may be under way for the old id: all join again";
  syncing.join({.id = syncing.joined(leader).member_id});
  EXPECT_EQ(syncing.joined(fresh).generation, 2);
}

TEST(StaticMembers, TheOldIdIsFencedInEveryRequest) {
  World world;
  const JoinAnswer old = world.settled_member(kInstance);
  world.join(kInstance);
  Member as_old = kInstance;
  as_old.id = old.member_id;
  EXPECT_EQ(world.joined(world.join(as_old)).error, ErrorCode::kFencedInstanceId);
  EXPECT_EQ(world.synced(world.sync(old, {}, "i")).error, ErrorCode::kFencedInstanceId);
  EXPECT_EQ(world.commit(1, World::claim(old, "i")), ErrorCode::kFencedInstanceId);
  EXPECT_EQ(world.leave({{old.member_id, "i"}}), std::vector{ErrorCode::kFencedInstanceId});
  as_old.instance = "never seen";
  EXPECT_EQ(world.joined(world.join(as_old)).error, ErrorCode::kUnknownMemberId);
}

TEST(StaticMembers, OneThatDoesNotJoinAgainStaysUntilItsSessionEnds) {
  World world;
  Member slow = kInstance;
  slow.session = 100'000ms;
  const auto members = world.settled_members({{.session = 200'000ms}, slow});
  const Ticket again = world.join({.id = members[0].member_id, .session = 200'000ms});
  world.advance(60'000ms);
  EXPECT_EQ(world.joined(again).members.size(), 2U) << "the rebalance timeout drops dynamic members only";
  world.sync(world.joined(again), {});
  world.advance(100'000ms);
  EXPECT_EQ(world.machine().describe("g").members.size(), 1U);
}

TEST(StaticMembers, WhenNobodyHasJoinedAgainTheGroupWaitsForSessionsToEnd) {
  World world;
  Member slow = kInstance;
  slow.session = 100'000ms;
  const auto members = world.settled_members({slow, {}});
  world.leave({{members[1].member_id, std::nullopt}});
  world.advance(60'000ms);
  EXPECT_EQ(world.state(), GroupState::kPreparingRebalance);
  world.advance(40'000ms);
  EXPECT_EQ(world.state(), GroupState::kEmpty);
}

TEST(StaticMembers, ARejoinBringsItsOwnTimeoutsAndClient) {
  World world;
  Member slow = kInstance;
  slow.session = 60'000ms;
  world.settled_member(slow);
  Member quick = kInstance;
  quick.session = 6'000ms;
  quick.client = "another";
  const JoinAnswer after = world.joined(world.join(quick));
  EXPECT_EQ(world.machine().describe("g").members[0].client_id, "another");
  world.advance(5'999ms);
  EXPECT_EQ(world.state(), GroupState::kStable);
  world.advance(1ms);
  EXPECT_EQ(world.state(), GroupState::kEmpty) << after.member_id;
}

TEST(StaticMembers, AFullGroupLetsItsInstancesComeBack) {
  GroupSettings settings = World::quick();
  settings.size_max = 1;
  World world(settings);
  world.settled_member(kInstance);
  EXPECT_EQ(world.joined(world.join(kInstance)).error, ErrorCode::kNone);
  EXPECT_EQ(world.joined(world.join({})).error, ErrorCode::kGroupMaxSizeReached);
}

}  // namespace
}  // namespace braid::broker
