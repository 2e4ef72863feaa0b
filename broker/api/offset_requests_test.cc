// Offsets and the administration of groups through their requests, in all versions: a node in memory, its log, and
// starts on what it left.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/api/test_groups.h"
#include "broker/groups/limits.h"
#include "protocol/messages/16_list_groups.h"
#include "protocol/messages/20_delete_topics.h"
#include "protocol/messages/37_create_partitions.h"
#include "protocol/messages/47_offset_delete.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

// -- offsets

TEST(OffsetRequests, AnOffsetComesBackInEveryVersion) {
  GroupNode node;
  node.find_coordinator();
  const Uuid id = create_topic(node, "t");
  for (std::int16_t version = 1; version <= 10; ++version)
    EXPECT_EQ(fetch(node, version, id), (Fetched{ErrorCode::kNone, -1, -1, ""})) << version;
  for (std::int16_t version = 2; version <= 10; ++version) {
    EXPECT_EQ(commit(node, version, {.version = version, .id = id}), ErrorCode::kNone);
    for (std::int16_t by = 1; by <= 10; ++by) {
      const std::int32_t epoch = version >= 6 && by >= 5 ? 0 : -1;
      const Fetched expected{ErrorCode::kNone, version, epoch, "m"};
      EXPECT_EQ(fetch(node, by, id), expected) << version << " by " << by;
      if (by >= 2) {
        EXPECT_EQ(fetch(node, by, id, true), expected) << version << " all by " << by;
      }
    }
  }
}

TEST(OffsetRequests, UnknownTopicsArePerPartitionErrors) {
  GroupNode node;
  node.find_coordinator();
  const Uuid id = create_topic(node, "t");
  const Uuid other = uuid_from_halves(1, 2);
  EXPECT_EQ(commit(node, 1, {.topic = "other"}), ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(commit(node, 1, {.partition = 1}), ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(commit(node, 1, {.version = 10, .partition = 1, .id = id}), ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(commit(node, 1, {.version = 10, .id = other}), ErrorCode::kUnknownTopicId);
  EXPECT_EQ(fetch(node, 10, other).error, ErrorCode::kUnknownTopicId);
  EXPECT_EQ(commit(node, 1'000'000, {}), ErrorCode::kNone) << "any offset is taken; out of range shows at a fetch";
}

TEST(OffsetRequests, SeveralGroupsAreFetchedAtOnce) {
  GroupNode node;
  node.find_coordinator();
  create_topic(node, "t");
  commit(node, 1, {.group = "a"});
  commit(node, 2, {.group = "b"});
  OffsetFetchRequest::Group groups[3];
  const std::string_view names[] = {"a", "b", "nobody"};
  for (std::size_t i = 0; i < 3; ++i) {
    groups[i].group_id = names[i];
    groups[i].topics = std::nullopt;
  }
  OffsetFetchRequest request;
  request.groups = groups;
  const auto response = node.ask<OffsetFetchResponse>(request, 8);
  ASSERT_EQ(response.groups.size(), 3U);
  EXPECT_EQ(response.groups[0].topics[0].partitions[0].committed_offset, 1);
  EXPECT_EQ(response.groups[1].topics[0].partitions[0].committed_offset, 2);
  EXPECT_TRUE(response.groups[2].topics.empty());
}

TEST(OffsetRequests, WhileAGroupLoadsItsOffsetsAreNeverMissing) {
  storage::MemoryStore store;
  constexpr std::int32_t kPartitions = 2'000;
  {
    GroupNode node(kQuick, &store);
    node.find_coordinator();
    create_topic(node, "t", kPartitions);
    for (std::int32_t i = 0; i < kPartitions; ++i) ASSERT_EQ(commit(node, 7, {.partition = i}), ErrorCode::kNone);
  }
  GroupNode node(kQuick, &store);
  std::set<ErrorCode> errors;
  for (bool loaded = false; !loaded;) {
    for (const std::int16_t version : std::initializer_list<std::int16_t>{1, 2, 7, 8, 9}) {
      const Fetched fetched = fetch(node, version);
      errors.insert(fetched.error);
      if (fetched.error == ErrorCode::kNone) {
        EXPECT_EQ(fetched.offset, 7);
      } else {
        EXPECT_EQ(fetched.error, ErrorCode::kCoordinatorLoadInProgress) << version;
      }
    }
    loaded = fetch(node).error == ErrorCode::kNone;
  }
  EXPECT_TRUE(errors.contains(ErrorCode::kCoordinatorLoadInProgress)) << "the start was seen in the middle";
}

TEST(OffsetRequests, GroupsAndOffsetsOutliveTheBroker) {
  storage::MemoryStore store;
  Membership member;
  {
    GroupNode node(kQuick, &store);
    node.find_coordinator();
    create_topic(node, "t");
    member = join_fully(node);
    sync(node, member);
    EXPECT_EQ(commit(node, 5, {.as = member}), ErrorCode::kNone);
  }
  GroupNode node(kQuick, &store);
  node.wait_until_loaded();
  EXPECT_EQ(fetch(node).offset, 5);
  EXPECT_EQ(heartbeat(node, member), ErrorCode::kNone);
  EXPECT_EQ(sync(node, member).assignment, "mine");
  EXPECT_EQ(describe(node).state, "Stable");
}

TEST(OffsetRequests, ADeletedTopicLosesItsOffsetsAlsoForItsSuccessor) {
  storage::MemoryStore store;
  {
    GroupNode node(kQuick, &store);
    node.find_coordinator();
    create_topic(node, "t");
    create_topic(node, "stays");
    commit(node, 5);
    commit(node, 6, {.topic = "stays", .group = "other"});
    DeleteTopicsRequest request;
    const std::string_view name = "t";
    request.topic_names = {&name, 1};
    ASSERT_EQ(node.ask<DeleteTopicsResponse>(request, 5).responses[0].error_code, ErrorCode::kNone);
    create_topic(node, "t");
    EXPECT_EQ(fetch(node).offset, -1);
  }
  GroupNode node(kQuick, &store);
  node.wait_until_loaded();
  EXPECT_EQ(fetch(node).offset, -1);
  EXPECT_EQ(fetch(node, 9, {}, true, "other").offset, 6);
}

TEST(OffsetRequests, ACommitsOwnRetentionEndsIt) {
  GroupNode node(quick({{"offsets.retention.check.interval.ms", "10"}}));
  node.find_coordinator();
  create_topic(node, "t");
  commit(node, 5, {.version = 4, .retention_time_ms = 0});
  while (fetch(node).offset != -1) {
  }
  EXPECT_EQ(describe(node).error, ErrorCode::kGroupIdNotFound) << "nothing is left of the group";
}

TEST(OffsetRequests, TheInternalPartitionStaysWithinTwiceWhatIsAlive) {
  storage::MemoryStore store;
  const std::string metadata(1000, 'x');
  {
    GroupNode node(kQuick, &store);
    node.find_coordinator();
    create_topic(node, "t", 10);
    for (int i = 0; i < 3'000; ++i)
      ASSERT_EQ(commit(node, i, {.partition = i % 10, .metadata = metadata}), ErrorCode::kNone);
    const auto view = node.node().shard.view(node.log_of_g().partition());
    EXPECT_GT(view.start.value, 0);
    EXPECT_LE((view.end.value - view.start.value) * 1'100, 2 * (kOffsetsCompactionBytesMin + 2 * 10 * 1'100));
  }
  GroupNode node(kQuick, &store);
  node.wait_until_loaded();
  EXPECT_EQ(fetch(node).offset, 2'990);
}

// -- administration

TEST(OffsetRequests, AnUnknownGroupIsDeadOrNotFoundByVersion) {
  GroupNode node;
  node.find_coordinator();
  for (std::int16_t version = 0; version <= 6; ++version) {
    EXPECT_EQ(describe(node, version).state, "Dead") << version;
    EXPECT_EQ(describe(node, version).error, version < 6 ? ErrorCode::kNone : ErrorCode::kGroupIdNotFound) << version;
  }
}

TEST(OffsetRequests, AStableGroupIsDescribedWithItsMembers) {
  GroupNode node;
  node.find_coordinator();
  const Membership member = join_fully(node);
  EXPECT_EQ(describe(node).state, "CompletingRebalance");
  EXPECT_EQ(describe(node).protocol, "");
  sync(node, member);
  const std::string_view group = "g";
  DescribeGroupsRequest request;
  request.groups = {&group, 1};
  request.include_authorized_operations = true;
  const auto response = node.ask<DescribeGroupsResponse>(request, 6);
  const auto& told = response.groups[0];
  EXPECT_EQ(told.group_state, "Stable");
  EXPECT_EQ(told.protocol_type, "consumer");
  EXPECT_EQ(told.protocol_data, "range");
  EXPECT_EQ(told.authorized_operations, 3400);
  ASSERT_EQ(told.members.size(), 1U);
  EXPECT_EQ(told.members[0].member_id, member.id);
  EXPECT_EQ(text(told.members[0].member_metadata), "metadata");
  EXPECT_EQ(text(told.members[0].member_assignment), "mine");
  EXPECT_TRUE(told.members[0].client_host.starts_with("/"));
}

TEST(OffsetRequests, GroupsAreListedInEveryVersionAndFiltered) {
  GroupNode node;
  node.find_coordinator();
  create_topic(node, "t");
  sync(node, join_fully(node));
  commit(node, 1, {.group = "offsets only"});
  for (std::int16_t version = 0; version <= 5; ++version)
    EXPECT_EQ(node.ask<ListGroupsResponse>(ListGroupsRequest{}, version).groups.size(), 2U) << version;
  const auto listed = [&](std::vector<std::string_view> states, std::vector<std::string_view> types) {
    ListGroupsRequest request;
    request.states_filter = states;
    request.types_filter = types;
    std::vector<std::string> names;
    for (const auto& group : node.ask<ListGroupsResponse>(request, 5).groups) {
      EXPECT_EQ(group.group_type, "classic");
      names.emplace_back(group.group_id);
    }
    std::ranges::sort(names);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(listed({"stable"}, {}), Names{"g"});
  EXPECT_EQ(listed({"Empty"}, {"Classic"}), Names{"offsets only"});
  EXPECT_EQ(listed({"Empty", "Stable"}, {}), (Names{"g", "offsets only"}));
  EXPECT_EQ(listed({}, {"consumer"}), Names{});
  EXPECT_EQ(listed({"no such state"}, {}), Names{});
}

TEST(OffsetRequests, AGroupIsDeletedWhenItIsEmpty) {
  GroupNode node;
  node.find_coordinator();
  create_topic(node, "t");
  for (std::int16_t version = 0; version <= 3; ++version) {
    EXPECT_EQ(delete_group(node, version), ErrorCode::kGroupIdNotFound);
    const Membership member = join_fully(node);
    sync(node, member);
    commit(node, 1, {.as = member});
    EXPECT_EQ(delete_group(node, version), ErrorCode::kNonEmptyGroup);
    leave(node, member.id);
    EXPECT_EQ(delete_group(node, version), ErrorCode::kNone);
    EXPECT_EQ(fetch(node).offset, -1);
    EXPECT_EQ(describe(node).state, "Dead");
  }
}

TEST(OffsetRequests, OffsetsAreDeletedPartitionByPartition) {
  GroupNode node;
  node.find_coordinator();
  create_topic(node, "t");
  OffsetDeleteRequest::Partition partitions[2];
  partitions[1].partition_index = 9;
  OffsetDeleteRequest::Topic topic;
  topic.name = "t";
  topic.partitions = partitions;
  OffsetDeleteRequest request;
  request.group_id = "g";
  request.topics = {&topic, 1};
  EXPECT_EQ(node.ask<OffsetDeleteResponse>(request, 0).error_code, ErrorCode::kGroupIdNotFound);
  commit(node, 1);
  const auto response = node.ask<OffsetDeleteResponse>(request, 0);
  EXPECT_EQ(response.error_code, ErrorCode::kNone);
  EXPECT_EQ(response.topics[0].partitions[0].error_code, ErrorCode::kNone);
  EXPECT_EQ(response.topics[0].partitions[1].error_code, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(fetch(node).offset, -1);
}

TEST(OffsetRequests, ClientsNeitherWriteToTheInternalTopicNorChangeItsPartitions) {
  GroupNode node;
  node.find_coordinator();
  const Bytes batch = batch_of_values({"v"});
  EXPECT_EQ(produce(node, batch, {.topic = "__consumer_offsets"}).error, ErrorCode::kInvalidTopicException);
  DeleteTopicsRequest deletion;
  const std::string_view name = "__consumer_offsets";
  deletion.topic_names = {&name, 1};
  EXPECT_EQ(node.ask<DeleteTopicsResponse>(deletion, 5).responses[0].error_code, ErrorCode::kInvalidTopicException);
  CreatePartitionsRequest::CreatePartitionsTopic topic;
  topic.name = name;
  topic.count = 9;
  CreatePartitionsRequest growth;
  growth.topics = {&topic, 1};
  growth.timeout_ms = 1'000;
  EXPECT_EQ(node.ask<CreatePartitionsResponse>(growth, 3).results[0].error_code, ErrorCode::kInvalidPartitions);
}

/// A store that has no room, or a slow disk, when it is told so.
class NarrowStore final : public storage::MemoryStore {
 public:
  storage::Result<storage::Reservation> reserve(std::size_t size, storage::Purpose purpose) override {
    if (refusal) return make_error_code(*refusal);
    return MemoryStore::reserve(size, purpose);
  }
  storage::Progress progress() const override {
    storage::Progress now = MemoryStore::progress();
    if (const std::int64_t end = stuck_at.load(); end >= 0) now.written = now.synced = storage::LogPosition{end};
    return now;
  }
  std::optional<storage::StorageErrc> refusal;
  std::atomic<std::int64_t> stuck_at = -1;  // nothing behind it is durable
};

/// Commits an offset of t-0 for g, and asks for all that g has; neither is waited for.
void send_commit(TestNode& node, std::int64_t offset) {
  OffsetCommitRequest::Partition partition;
  partition.committed_offset = offset;
  partition.committed_metadata = "";
  const OffsetCommitRequest::Topic topic{"t", {}, {&partition, 1}};
  OffsetCommitRequest request;
  request.group_id = "g";
  request.topics = {&topic, 1};
  node.send(frame_of(request, 9));
}

void send_fetch(TestNode& node) {
  OffsetFetchRequest::Group asked;
  asked.group_id = "g";
  asked.topics = std::nullopt;
  OffsetFetchRequest request;
  request.groups = {&asked, 1};
  node.send(frame_of(request, 9));
}

TEST(OffsetRequests, NothingIsToldBeforeItIsDurable) {
  NarrowStore store;
  GroupNode node(kQuick, &store);
  node.find_coordinator();
  create_topic(node, "t");
  commit(node, 1);
  store.stuck_at = store.progress().synced.value;
  send_commit(node, 2);
  node.run_until([&] { return node.log_of_g().machine().durable().find_offset("g", "t", 0)->offset == 2; });
  send_fetch(node);
  int turns = 0;
  node.run_until([&] { return ++turns > 3; });
  EXPECT_EQ(node.waiting_answers(), 0U) << "a reader would see what a power cut takes back";
  store.stuck_at = -1;
  node.node().shard.tell_writer_soon();
  node.answer();
  node.answer();
  EXPECT_EQ(fetch(node).offset, 2);
}

TEST(OffsetRequests, ACommitWithoutRoomWaitsAndThoseBehindIt) {
  NarrowStore store;
  GroupNode node(kQuick, &store);
  node.find_coordinator();
  create_topic(node, "t");
  commit(node, 1);
  store.refusal = storage::StorageErrc::not_yet;
  send_commit(node, 2);
  send_fetch(node);
  node.run_until([&] { return node.log_of_g().decision_waits(); });
  EXPECT_EQ(node.waiting_answers(), 0U);
  store.refusal.reset();
  node.answer();
  node.answer();
  EXPECT_EQ(fetch(node).offset, 2);
}

TEST(OffsetRequests, WhileTheDiskIsFullNobodyWaitsBehindTheFirst) {
  NarrowStore store;
  GroupNode node(kQuick, &store);
  node.find_coordinator();
  create_topic(node, "t");
  store.refusal = storage::StorageErrc::disk_full;
  send_commit(node, 2);
  node.run_until([&] { return node.log_of_g().disk_is_full(); });
  send_fetch(node);
  node.run_until([&] { return node.waiting_answers() == 1; });
  EXPECT_FALSE(node.answer_if_ready()) << "the commit goes on waiting";
  store.refusal.reset();
  node.answer();
  node.answer();
  EXPECT_EQ(fetch(node).offset, 2);
}

}  // namespace
}  // namespace braid::broker
