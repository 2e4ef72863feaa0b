// Producers over a restart: retries are known again, after a clean stop by what the store kept, after a kill by the
// headers of the batches, and with whatever of the kept bytes is lost or damaged.
#include "broker/partition/producer_keeper.h"

#include <gtest/gtest.h>

#include <string>

#include "broker/api/test_requests.h"
#include "protocol/base/bytes.h"
#include "storage/memory_store.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;

protocol::Bytes batch_of(std::int64_t producer, std::int32_t sequence, std::int32_t count = 2) {
  return batch_of_values(std::vector<std::string>(static_cast<std::size_t>(count), "v"),
                         {.producer_id = producer, .producer_epoch = 0, .base_sequence = sequence});
}

/// Seven batches of one producer among those of others.
void produce_seven(TestNode& node) {
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(produce(node, batch_of(1, 2 * i)).base_offset, 4 * i);
    ASSERT_EQ(produce(node, batch_of(100 + i, 7)).base_offset, 4 * i + 2);
  }
}

void expect_seven_to_be_known(TestNode& node) {
  for (int i = 2; i < 7; ++i) {
    const Produced again = produce(node, batch_of(1, 2 * i));
    EXPECT_EQ(again.error, ErrorCode::kNone) << i;
    EXPECT_EQ(again.base_offset, 4 * i);
    EXPECT_EQ(produce(node, batch_of(100 + i, 7)).base_offset, 4 * i + 2);
  }
  EXPECT_EQ(produce(node, batch_of(1, 2)).error, ErrorCode::kOutOfOrderSequenceNumber);
  EXPECT_EQ(produce(node, batch_of(1, 15)).error, ErrorCode::kOutOfOrderSequenceNumber);
}

storage::PartitionId topic_partition(storage::LogStore& store) {
  for (const storage::PartitionId id : store.partitions())
    if (store.view(id).name == "t") return id;
  protocol::check(false, "the topic is there");
  return {};
}

class ProducerKeeperTest : public testing::Test {
 protected:
  void produce_and_stop() {
    TestNode node({}, &store_);
    create_topic(node, "t");
    produce_seven(node);
  }
  /// As if it had been killed before anything was kept.
  void forget_kept_state() {
    const auto id = topic_partition(store_);
    store_.keep_state(id, store_.view(id).start, {});
  }
  void expect_known_by_a_new_node() {
    TestNode node({}, &store_);
    expect_seven_to_be_known(node);
    EXPECT_EQ(produce(node, batch_of(1, 14)).base_offset, 28) << "no retry was stored, and what comes next is";
  }

  storage::MemoryStore store_;
};

TEST_F(ProducerKeeperTest, RetriesAreKnownAfterACleanStop) {
  produce_and_stop();
  const auto view = store_.view(topic_partition(store_));
  EXPECT_EQ(view.kept_as_of, view.end) << "a start has nothing to read";
  EXPECT_FALSE(view.kept_state.empty());
  expect_known_by_a_new_node();
}

TEST_F(ProducerKeeperTest, RetriesAreKnownAfterAKill) {
  produce_and_stop();
  forget_kept_state();
  expect_known_by_a_new_node();
}

TEST_F(ProducerKeeperTest, RetriesAreKnownWhenSomeWasKeptAndMoreCameBehindIt) {
  {
    TestNode node({}, &store_);
    create_topic(node, "t");
    ASSERT_EQ(produce(node, batch_of(1, 0)).base_offset, 0);
    ASSERT_EQ(produce(node, batch_of(1, 2)).base_offset, 2);
  }
  const auto id = topic_partition(store_);
  const auto as_of = store_.view(id).kept_as_of;
  const protocol::Bytes kept(store_.view(id).kept_state.begin(), store_.view(id).kept_state.end());
  {
    TestNode node({}, &store_);
    ASSERT_EQ(produce(node, batch_of(1, 4)).base_offset, 4);
  }
  store_.keep_state(id, as_of, kept);
  TestNode node({}, &store_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(produce(node, batch_of(1, 2 * i)).base_offset, 2 * i);
  EXPECT_EQ(produce(node, batch_of(1, 6)).base_offset, 6);
}

TEST_F(ProducerKeeperTest, ReadsAllHeadersWhenTheKeptBytesAreDamaged) {
  produce_and_stop();
  const auto id = topic_partition(store_);
  protocol::Bytes kept(store_.view(id).kept_state.begin(), store_.view(id).kept_state.end());
  kept.pop_back();
  store_.keep_state(id, store_.view(id).end, kept);
  expect_known_by_a_new_node();
}

TEST_F(ProducerKeeperTest, KeepsWithoutAStopWhenMuchWasAppended) {
  TestNode node({}, &store_);
  create_topic(node, "t");
  const std::string large(512 * 1024, 'x');
  int sent = 0;
  const auto kept_as_of = [&] { return store_.view(topic_partition(store_)).kept_as_of.value; };
  while (kept_as_of() == 0 && sent < 100) {
    const auto batch = batch_of_values({large}, {.producer_id = 5, .producer_epoch = 0, .base_sequence = sent});
    ASSERT_EQ(produce(node, batch).base_offset, sent);
    ++sent;
  }
  EXPECT_GE(sent, 60);
  EXPECT_LT(sent, 70) << "32 MiB";
}

TEST_F(ProducerKeeperTest, ForgetsProducersThatWereSilentTooLong) {
  produce_and_stop();
  TestNode node({{"producer.id.expiration.ms", "1"}}, &store_);
  const auto before = node.node().clock.wall_now();
  while (node.node().clock.wall_now().milliseconds < before.milliseconds + 3) continue;
  EXPECT_EQ(produce(node, batch_of(1, 99)).base_offset, 28) << "any sequence of one that is not known";
}

TEST_F(ProducerKeeperTest, LeavesARemovedPartitionAlone) {
  TestNode node({}, &store_);
  const protocol::Uuid topic = create_topic(node, "t");
  ASSERT_EQ(produce(node, batch_of(1, 0)).base_offset, 0);
  Partition* const partition = node.node().shard.find(topic, 0);
  ASSERT_NE(partition, nullptr);
  EXPECT_TRUE(node.node().shard.remove(*partition).has_value());
}

}  // namespace
}  // namespace braid::broker
