// Committed offsets of groups: who may commit, what stays, what is deleted and what expires.
#include <gtest/gtest.h>

#include <chrono>

#include "broker/groups/limits.h"
#include "broker/groups/test_world.h"
#include "protocol/messages/data_consumer_protocol_subscription.h"
#include "protocol/messages/encoded.h"

namespace braid::broker {
namespace {

using namespace std::chrono_literals;
using protocol::ErrorCode;
using World = GroupWorld;

/// What a consumer sends that subscribes to the topics.
std::string subscription(const std::vector<std::string_view>& topics, std::int16_t version = 1) {
  protocol::ConsumerProtocolSubscriptionData data;
  data.topics = topics;
  const protocol::Bytes body = protocol::encode_to_bytes(data, std::min<std::int16_t>(version, 3));
  std::string bytes{static_cast<char>(version >> 8), static_cast<char>(version)};
  return bytes + World::text(body);
}

GroupWorld::Member subscriber(const std::vector<std::string_view>& topics, std::int16_t version = 1) {
  return {.protocols = {{"range", subscription(topics, version)}}};
}

GroupSettings short_retention() {
  GroupSettings settings = World::quick();
  settings.offsets_retention_ms = 5'000;
  return settings;
}

TEST(GroupOffsets, ACommitFromOutsideIsTakenUnlessTheGroupHasMembers) {
  World world;
  EXPECT_EQ(world.commit(5), ErrorCode::kNone);
  EXPECT_EQ(world.state(), GroupState::kEmpty);
  const JoinAnswer member = world.settled_member();
  EXPECT_EQ(world.commit(6), ErrorCode::kUnknownMemberId);
  world.leave({{member.member_id, std::nullopt}});
  EXPECT_EQ(world.commit(7), ErrorCode::kNone);
  EXPECT_EQ(world.committed(), 7);
}

TEST(GroupOffsets, AGenerationOfAnUnknownGroupHasItsErrorByVersion) {
  World world;
  const CommitQuestion older{"g", {"m", std::nullopt, 3}, std::nullopt, false, {{"t", 0, 1, -1, ""}}};
  CommitQuestion newer = older;
  newer.unknown_group_has_own_error = true;
  EXPECT_EQ(world.commit(older), ErrorCode::kIllegalGeneration);
  EXPECT_EQ(world.commit(newer), ErrorCode::kGroupIdNotFound);
  EXPECT_FALSE(world.committed());
}

TEST(GroupOffsets, AMemberCommitsInItsGenerationOnly) {
  World world;
  const auto members = world.settled_members({{}, {}});
  EXPECT_EQ(world.commit(1, World::claim(members[0])), ErrorCode::kNone);
  EXPECT_EQ(world.commit(2, {members[0].member_id, std::nullopt, 9}), ErrorCode::kIllegalGeneration);
  EXPECT_EQ(world.commit(2, {"nobody", std::nullopt, 1}), ErrorCode::kUnknownMemberId);
  EXPECT_EQ(world.commit(2, {members[0].member_id, "instance", 1}), ErrorCode::kUnknownMemberId);
  const Ticket again = world.join({.id = members[0].member_id});
  EXPECT_EQ(world.commit(3, World::claim(members[1])), ErrorCode::kNone) << "what was worked on until the rebalance";
  world.join({.id = members[1].member_id});
  EXPECT_EQ(world.commit(4, World::claim(world.joined(again))), ErrorCode::kRebalanceInProgress);
  EXPECT_EQ(world.committed(), 3);
}

TEST(GroupOffsets, ACommitKeepsTheSession) {
  World world;
  const JoinAnswer member = world.settled_member({.session = 6'000ms});
  for (int i = 0; i < 4; ++i) {
    world.advance(5'000ms);
    EXPECT_EQ(world.commit(i, World::claim(member)), ErrorCode::kNone);
  }
}

TEST(GroupOffsets, EpochAndMetadataComeBackAsSentAfterARestart) {
  World world;
  const std::string longest(4096, 'x');
  EXPECT_EQ(world.commit({"g", {}, std::nullopt, false, {{"t", 0, 5, 7, longest}}}), ErrorCode::kNone);
  EXPECT_EQ(world.commit({"g", {}, std::nullopt, false, {{"t", 1, 5, 7, longest + "x"}}}),
            ErrorCode::kOffsetMetadataTooLarge);
  world.restart();
  const CommittedOffset* const committed = world.machine().durable().find_offset("g", "t", 0);
  ASSERT_NE(committed, nullptr);
  EXPECT_EQ(committed->leader_epoch, 7);
  EXPECT_EQ(committed->metadata, longest);
  EXPECT_EQ(world.machine().durable().find_offset("g", "t", 1), nullptr);
}

TEST(GroupOffsets, AMetadataThatIsTooLongSpoilsNoOtherPartition) {
  World world;
  GroupOutcome out;
  const std::string long_text(4097, 'x');
  const auto errors = world.machine().commit(
      {"g", {}, std::nullopt, false, {{"t", 0, 1, -1, ""}, {"t", 1, 1, -1, long_text}, {"t", 2, 1, -1, ""}}},
      world.time(), out);
  EXPECT_EQ(errors, (std::vector{ErrorCode::kNone, ErrorCode::kOffsetMetadataTooLarge, ErrorCode::kNone}));
  EXPECT_EQ(out.records.size(), 2U);
}

TEST(GroupOffsets, ACommitThatFitsNoBatchIsRefusedAsAWhole) {
  World world;
  const std::string metadata(4000, 'x');
  CommitQuestion question{"g", {}, std::nullopt, false, {}};
  for (std::size_t i = 0; i <= kGroupDecisionBytesMax / metadata.size(); ++i)
    question.offsets.push_back({"t", static_cast<std::int32_t>(i), 1, -1, metadata});
  EXPECT_EQ(world.commit(question), ErrorCode::kInvalidCommitOffsetSize);
  EXPECT_TRUE(world.log().empty());
}

TEST(GroupOffsets, OffsetsExpireFromWhenTheGroupBecameEmpty) {
  World world(short_retention());
  const JoinAnswer member = world.settled_member({.session = 60'000ms});
  world.commit(1, World::claim(member));
  world.advance(20'000ms);
  world.expire();
  EXPECT_EQ(world.committed(), 1) << "a live idle group keeps them";
  world.leave({{member.member_id, std::nullopt}});
  world.advance(4'999ms);
  world.expire();
  EXPECT_EQ(world.committed(), 1);
  world.advance(1ms);
  world.expire();
  EXPECT_FALSE(world.committed());
  EXPECT_EQ(world.state(), GroupState::kDead) << "a group with nothing left is no more";
  world.restart();
  EXPECT_EQ(world.state(), GroupState::kDead);
}

TEST(GroupOffsets, OffsetsOfNoMembersExpireFromEachCommit) {
  World world(short_retention());
  world.commit(1, {}, "old");
  world.advance(3'000ms);
  world.commit(1, {}, "new");
  world.advance(2'000ms);
  world.expire();
  EXPECT_FALSE(world.committed("old"));
  EXPECT_EQ(world.committed("new"), 1);
}

TEST(GroupOffsets, ACommitsOwnRetentionCounts) {
  World world(short_retention());
  world.commit({"g", {}, 60'000, false, {{"long", 0, 1, -1, ""}}});
  world.commit({"g", {}, 0, false, {{"none", 0, 1, -1, ""}}});
  world.restart();
  world.expire();
  EXPECT_FALSE(world.committed("none"));
  world.advance(59'999ms);
  world.expire();
  EXPECT_EQ(world.committed("long"), 1);
  world.advance(1ms);
  world.expire();
  EXPECT_FALSE(world.committed("long"));
}

TEST(GroupOffsets, AStableGroupLosesOnlyOffsetsOfTopicsThatNobodySubscribes) {
  World world(short_retention());
  auto member = subscriber({"kept"});
  member.session = 60'000ms;
  const JoinAnswer joined = world.settled_member(member);
  world.commit(1, World::claim(joined), "kept");
  world.commit(1, World::claim(joined), "dropped");
  world.advance(5'000ms);
  world.expire();
  EXPECT_EQ(world.committed("kept"), 1);
  EXPECT_FALSE(world.committed("dropped"));
  EXPECT_EQ(world.state(), GroupState::kStable);
}

TEST(GroupOffsets, ExpiryGoesThroughAllGroupsInSteps) {
  World world(short_retention());
  constexpr int kGroups = 2'500;
  for (int i = 0; i < kGroups; ++i) world.commit(1, {}, "t", "group-" + std::to_string(i));
  EXPECT_EQ(world.machine().group_count(), std::size_t{kGroups});
  world.advance(5'000ms);
  GroupOutcome out;
  EXPECT_TRUE(world.machine().expire_offsets(std::nullopt, world.time(), out));
  EXPECT_LE(out.records.size(), kOffsetsExpiredAtOnceMax);
  world.expire();
  EXPECT_EQ(world.machine().group_count(), 0U);
  EXPECT_EQ(world.machine().durable().live_bytes(), 0);
}

TEST(GroupOffsets, OffsetsOfASubscribedTopicAreNotDeleted) {
  World world;
  world.commit(1, {}, "subscribed");
  world.commit(1, {}, "other");
  world.settled_member(subscriber({"subscribed"}, 9));
  GroupMachine::DeletedOffsets deleted;
  const auto delete_both = [&](GroupOutcome& out) {
    deleted = world.machine().delete_offsets("g", {{"subscribed", 0}, {"other", 0}, {"other", 9}}, out);
  };
  world.settle(delete_both);
  EXPECT_EQ(deleted.error, ErrorCode::kNone);
  EXPECT_EQ(deleted.errors, (std::vector{ErrorCode::kGroupSubscribedToTopic, ErrorCode::kNone, ErrorCode::kNone}));
  EXPECT_EQ(world.committed("subscribed"), 1);
  EXPECT_FALSE(world.committed("other"));
}

TEST(GroupOffsets, OffsetsOfOtherKindsOfGroupsAreDeletedOnlyWhenTheyAreEmpty) {
  World world;
  GroupOutcome out;
  EXPECT_EQ(world.machine().delete_offsets("g", {{"t", 0}}, out).error, ErrorCode::kGroupIdNotFound);
  const JoinAnswer member = world.settled_member({.protocol_type = "connect", .protocols = {{"p", "opaque"}}});
  world.commit(1, World::claim(member));
  EXPECT_EQ(world.machine().delete_offsets("g", {{"t", 0}}, out).error, ErrorCode::kNonEmptyGroup);
  world.leave({{member.member_id, std::nullopt}});
  EXPECT_EQ(world.machine().delete_offsets("g", {{"t", 0}}, out).error, ErrorCode::kNone);
}

TEST(GroupOffsets, OnlyAnEmptyGroupIsDeletedAndWithAllItHas) {
  World world;
  world.commit(1);
  const JoinAnswer member = world.settled_member();
  ErrorCode error = ErrorCode::kNone;
  const auto remove_it = [&](GroupOutcome& out) { error = world.machine().remove_group("g", out); };
  world.settle(remove_it);
  EXPECT_EQ(error, ErrorCode::kNonEmptyGroup);
  world.leave({{member.member_id, std::nullopt}});
  world.settle(remove_it);
  EXPECT_EQ(error, ErrorCode::kNone);
  EXPECT_FALSE(world.committed());
  world.settle(remove_it);
  EXPECT_EQ(error, ErrorCode::kGroupIdNotFound);
  EXPECT_EQ(world.machine().durable().live_bytes(), 0);
  world.restart();
  EXPECT_EQ(world.machine().group_count(), 0U);
}

TEST(GroupOffsets, ADeletedTopicTakesItsOffsetsOfAllGroupsAlong) {
  World world;
  for (const std::string_view group : {"a", "b"})
    for (const std::string_view topic : {"gone", "stays"}) world.commit(1, {}, topic, group);
  const auto remove_it = [&](GroupOutcome& out) { world.machine().remove_topic("gone", out); };
  world.settle(remove_it);
  for (const std::string_view group : {"a", "b"}) {
    EXPECT_FALSE(world.committed("gone", group));
    EXPECT_EQ(world.committed("stays", group), 1);
  }
}

TEST(GroupOffsets, AGroupThatHasOnlyOffsetsIsListedAsEmpty) {
  World world;
  world.commit(1);
  const auto listed = world.machine().list();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].group_id, "g");
  EXPECT_EQ(name_of(listed[0].state), "Empty");
  EXPECT_EQ(listed[0].protocol_type, "");
}

TEST(GroupOffsets, WhatIsAliveSaidAgainMakesTheSameState) {
  World world;
  for (int i = 0; i < 50; ++i) world.commit(i, {}, "t-" + std::to_string(i % 7), "group-" + std::to_string(i % 9));
  world.settled_members({{}, {.instance = "i"}});
  DurableGroups again;
  std::optional<std::string> after;
  std::size_t pieces = 0;
  do {
    DurableGroups::Piece piece = world.machine().durable().records_after(after, 500);
    for (const GroupRecord& record : piece.records)
      ASSERT_TRUE(again.replay(record.key, protocol::ByteView(*record.value)).has_value());
    after = piece.last;
    ++pieces;
  } while (after);
  EXPECT_GT(pieces, 3U);
  EXPECT_EQ(again.live_bytes(), world.machine().durable().live_bytes());
  EXPECT_EQ(again.offset_count(), world.machine().durable().offset_count());
  EXPECT_EQ(again.find("g")->metadata, world.machine().durable().find("g")->metadata);
}

}  // namespace
}  // namespace braid::broker
