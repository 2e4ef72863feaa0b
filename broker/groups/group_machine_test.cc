// Members of classic groups: joining, rebalancing, leaving and timers, with a clock that the tests move.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "broker/groups/test_world.h"

namespace braid::broker {
namespace {

using namespace std::chrono_literals;
using protocol::ErrorCode;
using World = GroupWorld;
using Member = GroupWorld::Member;

std::string assignment(const World& world, Ticket ticket) { return World::text(world.synced(ticket).assignment); }

TEST(GroupMembers, OneMemberJoinsSyncsAndIsStable) {
  World world;
  const Ticket join = world.join({});
  EXPECT_TRUE(world.waits(join)) << "the first rebalance ends by its timer, also without a delay";
  EXPECT_EQ(world.state(), GroupState::kPreparingRebalance);
  world.advance(0ms);
  const JoinAnswer& joined = world.joined(join);
  EXPECT_EQ(joined.error, ErrorCode::kNone);
  EXPECT_EQ(joined.generation, 1);
  EXPECT_EQ(joined.leader, joined.member_id);
  EXPECT_EQ(joined.protocol_type, "consumer");
  EXPECT_EQ(joined.protocol_name, "range");
  ASSERT_EQ(joined.members.size(), 1U);
  EXPECT_EQ(World::text(joined.members[0].metadata), "m");
  EXPECT_EQ(world.state(), GroupState::kCompletingRebalance);

  const Ticket sync = world.sync(joined, {{joined.member_id, "all"}});
  EXPECT_EQ(assignment(world, sync), "all");
  EXPECT_EQ(world.state(), GroupState::kStable);
  EXPECT_EQ(world.heartbeat(joined), ErrorCode::kNone);
}

TEST(GroupMembers, OnlyTheLeaderIsToldWhoTheMembersAre) {
  World world;
  const auto members = world.settled_members({{}, {}, {}});
  EXPECT_EQ(members[0].members.size(), 3U);
  EXPECT_TRUE(members[1].members.empty());
  for (const JoinAnswer& each : members) EXPECT_EQ(each.leader, members[0].member_id);
}

TEST(GroupMembers, TheFirstRebalanceWaitsTheDelayAgainForEachJoinAndAtMostTheRebalanceTimeout) {
  GroupSettings settings;
  settings.initial_rebalance_delay = 3'000ms;
  World world(settings);
  const Ticket first = world.join({.rebalance = 7'000ms});
  world.advance(2'000ms);
  const Ticket second = world.join({.rebalance = 7'000ms});
  world.advance(2'000ms);
  EXPECT_TRUE(world.waits(first)) << "the second member extended the delay";
  world.join({.rebalance = 7'000ms});
  world.advance(2'500ms);
  EXPECT_TRUE(world.waits(second));
  world.join({.rebalance = 7'000ms});
  world.advance(500ms);
  EXPECT_FALSE(world.waits(first)) << "7 s after the first join it ends, though another came";
  EXPECT_EQ(world.joined(first).members.size(), 4U);
}

TEST(GroupMembers, ARejectedJoinLeavesNoGroupBehind) {
  World world;
  const auto error_of = [&](const Member& member) { return world.joined(world.join(member)).error; };
  EXPECT_EQ(error_of({.session = 5'999ms}), ErrorCode::kInvalidSessionTimeout);
  EXPECT_EQ(error_of({.session = 1'800'001ms}), ErrorCode::kInvalidSessionTimeout);
  EXPECT_EQ(error_of({.id = "nobody"}), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(error_of({.protocol_type = ""}), ErrorCode::kInconsistentGroupProtocol);
  EXPECT_EQ(error_of({.protocols = {}}), ErrorCode::kInconsistentGroupProtocol);
  EXPECT_EQ(world.state(), GroupState::kDead);
  EXPECT_EQ(world.machine().group_count(), 0U);
  EXPECT_TRUE(world.log().empty());
}

TEST(GroupMembers, AMemberOfAnotherKindOrWithoutACommonProtocolIsRefused) {
  World world;
  world.settled_member({.protocols = {{"range", "m"}, {"sticky", "m"}}});
  EXPECT_EQ(world.joined(world.join({.protocol_type = "connect"})).error, ErrorCode::kInconsistentGroupProtocol);
  EXPECT_EQ(world.joined(world.join({.protocols = {{"other", "m"}}})).error, ErrorCode::kInconsistentGroupProtocol);
  EXPECT_TRUE(world.waits(world.join({.protocols = {{"other", "m"}, {"sticky", "m"}}})));
}

TEST(GroupMembers, TheProtocolIsVotedAmongThoseThatAllSupport) {
  World world;
  const auto members = world.settled_members({{.protocols = {{"a", ""}, {"b", ""}, {"c", ""}}},
                                              {.protocols = {{"x", ""}, {"c", ""}, {"b", ""}}},
                                              {.protocols = {{"c", ""}, {"b", ""}}}});
  EXPECT_EQ(members[0].protocol_name, "c");
}

// KIP-394
TEST(GroupMembers, ANewDynamicMemberIsToldItsIdFirstAndAnUnusedIdExpires) {
  World world;
  const JoinAnswer told = world.joined(world.join({.id_required = true}));
  EXPECT_EQ(told.error, ErrorCode::kMemberIdRequired);
  EXPECT_FALSE(told.member_id.empty());
  EXPECT_EQ(world.state(), GroupState::kEmpty);
  const Ticket join = world.join({.id = told.member_id, .id_required = true});
  world.advance(0ms);
  EXPECT_EQ(world.joined(join).member_id, told.member_id);

  World unused;
  unused.join({.session = 6'000ms, .id_required = true});
  unused.advance(5'999ms);
  EXPECT_EQ(unused.state(), GroupState::kEmpty);
  unused.advance(1ms);
  EXPECT_EQ(unused.state(), GroupState::kDead);
}

TEST(GroupMembers, ARebalanceWaitsForAnIdThatWasHandedOutUntilItExpires) {
  World world;
  const JoinAnswer member = world.settled_member();
  world.join({.session = 6'000ms, .id_required = true});
  EXPECT_EQ(world.state(), GroupState::kStable) << "an id alone moves nobody";
  const Ticket again = world.join({.id = member.member_id});
  EXPECT_TRUE(world.waits(again));
  world.advance(6'000ms);
  EXPECT_FALSE(world.waits(again));
  EXPECT_EQ(world.joined(again).generation, 2);
}

TEST(GroupMembers, ASilentMemberIsRemovedAfterItsSessionTimeoutAndTheRestRebalance) {
  World world;
  const auto members = world.settled_members({{.session = 10'000ms}, {.session = 6'000ms}});
  world.advance(5'999ms);
  EXPECT_EQ(world.heartbeat(members[0]), ErrorCode::kNone);
  world.advance(1ms);
  EXPECT_EQ(world.heartbeat(members[1]), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world.heartbeat(members[0]), ErrorCode::kRebalanceInProgress);
  const Ticket again = world.join({.id = members[0].member_id});
  EXPECT_EQ(world.joined(again).members.size(), 1U);
}

TEST(GroupMembers, AHeartbeatDuringARebalanceKeepsTheMember) {
  World world;
  const auto members = world.settled_members({{.session = 6'000ms}, {.session = 6'000ms}});
  world.join({.id = members[0].member_id, .session = 6'000ms});
  for (int i = 0; i < 5; ++i) {
    world.advance(5'000ms);
    EXPECT_EQ(world.heartbeat(members[1]), ErrorCode::kRebalanceInProgress);
  }
  EXPECT_EQ(world.machine().describe("g").members.size(), 2U);
}

TEST(GroupMembers, WhoeverDoesNotJoinAgainInTimeIsLeftOut) {
  World world;
  const auto members = world.settled_members({{}, {}, {.session = 100'000ms, .rebalance = 30'000ms}});
  world.leave({{members[1].member_id, std::nullopt}});
  const Ticket again = world.join({.id = members[0].member_id});
  for (int i = 0; i < 11; ++i) {
    EXPECT_TRUE(world.waits(again));
    world.advance(5'000ms);
    EXPECT_EQ(world.heartbeat(members[2]), ErrorCode::kRebalanceInProgress);
  }
  world.advance(5'000ms);
  ASSERT_FALSE(world.waits(again)) << "the largest rebalance timeout, 60 s, has passed";
  EXPECT_EQ(world.joined(again).members.size(), 1U);
  EXPECT_EQ(world.heartbeat(members[2]), ErrorCode::kUnknownMemberId);
}

TEST(GroupMembers, TheLeaderStaysIfItJoinsAgainElseAnotherWhoDidIsElected) {
  World world;
  const auto members = world.settled_members({{}, {}, {}});
  world.leave({{members[2].member_id, std::nullopt}});
  const Ticket second = world.join({.id = members[1].member_id});
  const Ticket first = world.join({.id = members[0].member_id});
  EXPECT_EQ(world.joined(second).leader, members[0].member_id);
  world.sync(world.joined(first), {});
  world.leave({{members[0].member_id, std::nullopt}});
  EXPECT_EQ(world.joined(world.join({.id = members[1].member_id})).leader, members[1].member_id);
}

// In a completed rebalance the generation stands; a stable group moves for its leader or for new metadata only.
TEST(GroupMembers, JoiningAgainWithoutAChangeKeepsTheGeneration) {
  World world;
  const Ticket first = world.join({});
  const Ticket second = world.join({});
  world.advance(0ms);
  const JoinAnswer leader = world.joined(first);
  const JoinAnswer follower = world.joined(second);
  EXPECT_EQ(world.joined(world.join({.id = follower.member_id})).generation, 1);
  const JoinAnswer again = world.joined(world.join({.id = leader.member_id}));
  EXPECT_EQ(again.generation, 1);
  EXPECT_EQ(again.members.size(), 2U);
  world.sync(follower);
  world.sync(leader);
  EXPECT_EQ(world.state(), GroupState::kStable);
  EXPECT_EQ(world.joined(world.join({.id = follower.member_id})).generation, 1);
  EXPECT_TRUE(world.waits(world.join({.id = follower.member_id, .protocols = {{"range", "changed"}}})));
  EXPECT_EQ(world.state(), GroupState::kPreparingRebalance);
  world.join({.id = leader.member_id});
  EXPECT_EQ(world.state(), GroupState::kCompletingRebalance);
}

TEST(GroupMembers, ALeaderThatJoinsAgainStartsARebalance) {
  World world;
  const auto members = world.settled_members({{}, {}});
  EXPECT_TRUE(world.waits(world.join({.id = members[0].member_id})));
  EXPECT_EQ(world.heartbeat(members[1]), ErrorCode::kRebalanceInProgress);
}

TEST(GroupMembers, FollowersWaitForTheLeadersAssignment) {
  World world;
  const Ticket first = world.join({});
  const Ticket second = world.join({});
  world.advance(0ms);
  const Ticket waiting = world.sync(world.joined(second));
  EXPECT_TRUE(world.waits(waiting));
  world.sync(world.joined(first), {{world.joined(second).member_id, "yours"}});
  EXPECT_EQ(assignment(world, waiting), "yours");
  EXPECT_EQ(world.synced(waiting).protocol_name, "range");
}

TEST(GroupMembers, ARebalanceEndsTheWaitForAnAssignment) {
  World world;
  world.join({});
  const Ticket second = world.join({});
  world.advance(0ms);
  const Ticket waiting = world.sync(world.joined(second));
  world.join({});
  EXPECT_EQ(world.synced(waiting).error, ErrorCode::kRebalanceInProgress);
}

TEST(GroupMembers, SyncIsRefusedForAWrongMemberGenerationProtocolOrTime) {
  World world;
  const JoinAnswer member = world.settled_member();
  const auto error_of = [&](SyncQuestion question) {
    const Ticket ticket{1'000'000};
    ErrorCode error = ErrorCode::kNone;
    GroupOutcome out;
    world.machine().sync(question, ticket, world.time(), out);
    if (!out.syncs.empty()) error = out.syncs[0].second.error;
    return error;
  };
  SyncQuestion right{"g", World::claim(member), "consumer", "range", {}};
  EXPECT_EQ(error_of(right), ErrorCode::kNone);
  SyncQuestion wrong = right;
  wrong.group_id = "other";
  EXPECT_EQ(error_of(wrong), ErrorCode::kUnknownMemberId);
  wrong = right;
  wrong.claim.member_id = "nobody";
  EXPECT_EQ(error_of(wrong), ErrorCode::kUnknownMemberId);
  wrong = right;
  ++wrong.claim.generation;
  EXPECT_EQ(error_of(wrong), ErrorCode::kIllegalGeneration);
  wrong = right;
  wrong.protocol_name = "sticky";
  EXPECT_EQ(error_of(wrong), ErrorCode::kInconsistentGroupProtocol);
  wrong = right;
  wrong.protocol_type = "connect";
  EXPECT_EQ(error_of(wrong), ErrorCode::kInconsistentGroupProtocol);
  world.join({});
  EXPECT_EQ(error_of(right), ErrorCode::kRebalanceInProgress);
}

TEST(GroupMembers, ALeaderThatNeverSyncsIsRemovedAfterTheRebalanceTimeout) {
  World world;
  const Ticket first = world.join({.rebalance = 20'000ms});
  const Ticket second = world.join({.rebalance = 20'000ms});
  world.advance(0ms);
  const JoinAnswer leader = world.joined(first);
  const Ticket waiting = world.sync(world.joined(second));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(world.heartbeat(leader), ErrorCode::kNone);
    world.advance(5'000ms);
  }
  EXPECT_EQ(world.synced(waiting).error, ErrorCode::kRebalanceInProgress);
  EXPECT_EQ(world.heartbeat(leader), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world.joined(world.join({.id = world.joined(second).member_id})).leader, world.joined(second).member_id);
}

TEST(GroupMembers, TheSessionDoesNotRunWhileAMemberWaits) {
  World world;
  const auto members = world.settled_members({{.session = 6'000ms}, {.session = 40'000ms}});
  const Ticket waiting = world.join({.id = members[0].member_id, .session = 6'000ms});
  world.advance(30'000ms);
  EXPECT_TRUE(world.waits(waiting)) << "it waits for the other one, and is not silent";
  const Ticket other = world.join({.id = members[1].member_id, .session = 40'000ms});
  EXPECT_EQ(world.joined(waiting).generation, 2);
  const Ticket sync =
      world.sync(world.joined(waiting).leader == members[0].member_id ? world.joined(other) : world.joined(waiting));
  world.advance(5'000ms);
  EXPECT_TRUE(world.waits(sync));
}

TEST(GroupMembers, AMemberWhoseConnectionIsLostWhileItWaitsIsRemovedByItsTimer) {
  World world;
  world.join({.session = 6'000ms});
  world.advance(0ms);  // its answer reaches nobody
  EXPECT_EQ(world.state(), GroupState::kCompletingRebalance);
  world.advance(6'000ms);
  EXPECT_EQ(world.state(), GroupState::kEmpty);
}

TEST(GroupMembers, ANewMemberThatNobodyAnswersIsGivenUpAfterFiveMinutes) {
  World world;
  const JoinAnswer member = world.settled_member({.rebalance = 3'600'000ms});
  const Ticket fresh = world.join({.rebalance = 3'600'000ms});
  for (int i = 0; i < 299; ++i) {
    world.advance(1'000ms);
    world.heartbeat(member);
  }
  EXPECT_TRUE(world.waits(fresh));
  world.advance(1'000ms);
  EXPECT_EQ(world.joined(fresh).error, ErrorCode::kUnknownMemberId);
}

TEST(GroupMembers, AMemberThatWasRemovedComesBackAsANewOne) {
  World world;
  const auto members = world.settled_members({{.session = 60'000ms}, {.session = 6'000ms}});
  world.advance(6'000ms);
  EXPECT_EQ(world.joined(world.join({.id = members[1].member_id})).error, ErrorCode::kUnknownMemberId);
  const Ticket fresh = world.join({});
  const Ticket again = world.join({.id = members[0].member_id});
  EXPECT_EQ(world.joined(again).members.size(), 2U);
  EXPECT_NE(world.joined(fresh).member_id, members[1].member_id);
}

TEST(GroupMembers, TheLastMemberThatLeavesLeavesAnEmptyGroup) {
  World world;
  const JoinAnswer member = world.settled_member();
  EXPECT_EQ(world.leave({{member.member_id, std::nullopt}}), std::vector{ErrorCode::kNone});
  EXPECT_EQ(world.state(), GroupState::kEmpty);
  EXPECT_EQ(world.machine().describe("g").protocol_type, "consumer");
  world.restart();
  EXPECT_EQ(world.state(), GroupState::kEmpty);
  EXPECT_EQ(world.settled_member().generation, 3) << "generations go on";
}

TEST(GroupMembers, LeavingIsJudgedMemberByMember) {
  World world;
  const auto members = world.settled_members({{}, {.instance = "i"}});
  const JoinAnswer pending = world.joined(world.join({.id_required = true}));
  const std::vector<Leaver> leavers = {
      {"nobody", std::nullopt},          {"", std::nullopt}, {"", "other"}, {members[0].member_id, "i"},
      {pending.member_id, std::nullopt}, {"", "i"}};
  const std::vector expected = {ErrorCode::kUnknownMemberId,
                                ErrorCode::kUnknownMemberId,
                                ErrorCode::kUnknownMemberId,
                                ErrorCode::kFencedInstanceId,
                                ErrorCode::kNone,
                                ErrorCode::kNone};
  EXPECT_EQ(world.leave(leavers), expected);
  EXPECT_EQ(world.machine().describe("g").members.size(), 1U);
  EXPECT_EQ(world.leave({{members[0].member_id, std::nullopt}}, "other"), std::vector{ErrorCode::kUnknownMemberId});
}

TEST(GroupMembers, AFullGroupTakesNobodyMore) {
  GroupSettings settings = World::quick();
  settings.size_max = 2;
  World world(settings);
  const Ticket first = world.join({});
  world.join({});
  EXPECT_EQ(world.joined(world.join({})).error, ErrorCode::kGroupMaxSizeReached);
  world.advance(0ms);
  EXPECT_EQ(world.joined(first).members.size(), 2U);
  EXPECT_EQ(world.joined(world.join({})).error, ErrorCode::kGroupMaxSizeReached);
  EXPECT_EQ(world.joined(world.join({.id = world.joined(first).member_id})).error, ErrorCode::kNone);
}

TEST(GroupMembers, AJoinOnASecondConnectionTakesTheFirstOnesPlace) {
  World world;
  const auto members = world.settled_members({{}, {}});
  const Ticket lost = world.join({.id = members[0].member_id});
  const Ticket retried = world.join({.id = members[0].member_id});
  EXPECT_EQ(world.joined(lost).error, ErrorCode::kRebalanceInProgress);
  world.join({.id = members[1].member_id});
  EXPECT_EQ(world.joined(retried).members.size(), 2U);
}

TEST(GroupMembers, AGroupLivesAgainAfterARestartWithItsMembersAndAssignments) {
  World world;
  const auto members = world.settled_members({{.session = 6'000ms}, {.instance = "i", .session = 8'000ms}});
  world.restart();
  EXPECT_EQ(world.state(), GroupState::kStable);
  EXPECT_EQ(world.heartbeat(members[0]), ErrorCode::kNone);
  EXPECT_EQ(world.heartbeat(members[1], "i"), ErrorCode::kNone);
  EXPECT_EQ(assignment(world, world.sync(members[1], {}, "i")), "1");
  world.advance(6'000ms);
  EXPECT_EQ(world.heartbeat(members[1], "i"), ErrorCode::kRebalanceInProgress) << "the other one never showed up";
  world.advance(8'000ms);
  EXPECT_EQ(world.state(), GroupState::kEmpty);
}

TEST(GroupMembers, TwoThousandMembersJoinRebalanceAndLeaveInTimeThatGrowsWithTheirNumber) {
  World world;
  constexpr int kMembers = 2'000;
  std::vector<JoinAnswer> members = world.settled_members(std::vector<Member>(kMembers));
  ASSERT_EQ(members[0].members.size(), std::size_t{kMembers});
  EXPECT_EQ(world.state(), GroupState::kStable);
  std::vector<Ticket> again;
  for (const JoinAnswer& each : members) again.push_back(world.join({.id = each.member_id}));
  EXPECT_EQ(world.joined(again.back()).generation, 2);
  for (const Ticket ticket : again) world.sync(world.joined(ticket));
  std::vector<Leaver> leavers;
  for (const JoinAnswer& each : members) leavers.push_back({each.member_id, std::nullopt});
  world.leave(leavers);
  EXPECT_EQ(world.state(), GroupState::kEmpty);
  EXPECT_LE(world.log().size(), 4U) << "a generation is written once";
}

}  // namespace
}  // namespace braid::broker
