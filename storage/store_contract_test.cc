// What every LogStore promises, whatever its layout; each test runs on each implementation.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "storage/errors.h"
#include "storage/memory_store.h"
#include "storage/random_operations.h"
#include "storage/store_model.h"
#include "storage/store_subject.h"
#include "storage/test_batch.h"
#include "storage/test_seed.h"

namespace braid::storage {

std::vector<StoreKind> store_kinds();

namespace {

const TopicId kOrders = protocol::uuid_from_halves(1, 2);

PartitionSpec orders(std::int32_t queue, std::int64_t start = 0) {
  return {.topic = kOrders, .name = "orders", .queue = QueueId{queue}, .start = Offset{start}, .indexing = 1};
}

class StoreContract : public testing::TestWithParam<StoreKind> {
 protected:
  LogStore& store() { return subject_->store(); }

  PartitionId made(const PartitionSpec& spec) {
    const auto created = store().create(spec);
    EXPECT_TRUE(created.has_value());
    model_.create(spec);
    return created->partition;
  }

  Appended append(PartitionId to, std::int32_t count, std::int64_t timestamp = 0, std::int32_t epoch = 0) {
    return append(to, {.count = count, .timestamp_max = timestamp}, epoch);
  }
  Appended append(PartitionId to, TestBatch made, std::int32_t epoch = 0) {
    made.seed = ++seed_;
    const Bytes batch = make_batch(made);
    auto room = store().reserve(store().entry_bytes(batch.size()), Purpose::kProduce);
    for (int i = 0; i < 10 && room.has_error(); ++i) {
      subject_->settle();
      room = store().reserve(store().entry_bytes(batch.size()), Purpose::kProduce);
    }
    EXPECT_TRUE(room.has_value());
    const auto tags = tags_of_test_batch(batch);
    const PartitionView view = store().view(to);
    model_.append(model_.partitions.at({view.topic, view.queue.value}), LeaderEpoch{epoch}, batch);
    return store().append(to,
                          {.bytes = batch,
                           .epoch = LeaderEpoch{epoch},
                           .tag_hashes = tags,
                           .durability = Durability::kSynced,
                           .now = {made.timestamp_max}},
                          *room);
  }

  std::unique_ptr<StoreSubject> subject_ = GetParam().make();
  StoreModel model_;
  std::uint64_t seed_ = 0;
};

TEST_P(StoreContract, GivesConsecutiveOffsetsAndReadsBackTheBytes) {
  const PartitionId id = made(orders(0));
  EXPECT_EQ(append(id, 3).base, Offset{0});
  EXPECT_EQ(append(id, 2).base, Offset{3});
  subject_->settle();
  EXPECT_EQ(difference(store(), model_), "");
}

TEST_P(StoreContract, BeginsAtAnyOffset) {
  const PartitionId id = made(orders(1, 299'999));
  EXPECT_EQ(append(id, 3).base, Offset{299'999});
  subject_->settle();
  EXPECT_EQ(difference(store(), model_), "");
}

TEST_P(StoreContract, RefusesAPartitionThatIsThere) {
  made(orders(0));
  EXPECT_EQ(store().create(orders(0)).error(), make_error_code(StorageErrc::partition_exists));
}

TEST_P(StoreContract, ShowsWhatIsWrittenOnly) {
  const PartitionId id = made(orders(0));
  subject_->settle();
  append(id, 1);
  const auto plan = store().plan_read(id, {Offset{0}, Offset{1}, 1000});
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(store().read(*plan)->batches.empty());
}

TEST_P(StoreContract, AcknowledgesWhenSyncedBeyondTheEntry) {
  const PartitionId id = made(orders(0));
  const Appended appended = append(id, 1);
  EXPECT_LT(store().progress().synced, appended.end_position);
  subject_->settle();
  EXPECT_GE(store().progress().synced, appended.end_position);
  EXPECT_GE(store().progress().written, store().progress().synced);
}

TEST_P(StoreContract, ReturnsTheFirstBatchWhateverItsSize) {
  const PartitionId id = made(orders(0));
  append(id, 5);
  append(id, 5);
  subject_->settle();
  const auto plan = store().plan_read(id, {Offset{2}, Offset{10}, 1});
  const auto read = store().read(*plan);
  ASSERT_EQ(read->batches.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(read->batches[0], model_.partitions.at({kOrders, 0}).batches[0].bytes));
}

TEST_P(StoreContract, RefusesOffsetsOutsideThePartition) {
  const PartitionId id = made(orders(0, 10));
  append(id, 5);
  subject_->settle();
  const auto out_of_range = make_error_code(StorageErrc::offset_out_of_range);
  EXPECT_EQ(store().plan_read(id, {Offset{9}, Offset{15}, 1}).error(), out_of_range);
  EXPECT_EQ(store().plan_read(id, {Offset{16}, Offset{16}, 1}).error(), out_of_range);
  EXPECT_TRUE(store().plan_read(id, {Offset{15}, Offset{15}, 1}).has_value());
  EXPECT_EQ(store().trim(id, Offset{16}).error(), out_of_range);
  EXPECT_EQ(store().truncate(id, Offset{16}).error(), out_of_range);
  EXPECT_EQ(store().truncate(id, Offset{9}).error(), out_of_range);
}

TEST_P(StoreContract, ShowsANewStartWhenItIsSynced) {
  const PartitionId id = made(orders(0));
  append(id, 5);
  subject_->settle();
  ASSERT_TRUE(store().trim(id, Offset{3}).has_value());
  EXPECT_EQ(store().view(id).start, Offset{0});
  subject_->settle();
  EXPECT_EQ(store().view(id).start, Offset{3});
  StoreModel::trim(model_.partitions.at({kOrders, 0}), Offset{3});
  EXPECT_EQ(difference(store(), model_), "");
}

TEST_P(StoreContract, CutsWholeBatches) {
  const PartitionId id = made(orders(0));
  append(id, 5);
  append(id, 5);
  ASSERT_TRUE(store().truncate(id, Offset{7}).has_value());
  EXPECT_EQ(store().view(id).end, Offset{5});
  StoreModel::truncate(model_.partitions.at({kOrders, 0}), Offset{7});
  EXPECT_EQ(append(id, 1).base, Offset{5});
  subject_->settle();
  EXPECT_EQ(difference(store(), model_), "");
}

TEST_P(StoreContract, FindsAPlannedReadStaleAfterACut) {
  const PartitionId id = made(orders(0));
  append(id, 5);
  subject_->settle();
  const auto plan = store().plan_read(id, {Offset{0}, Offset{5}, 1000});
  ASSERT_TRUE(store().truncate(id, Offset{0}).has_value());
  EXPECT_EQ(store().read(*plan).error(), make_error_code(StorageErrc::stale_read));
}

TEST_P(StoreContract, FindsAPlannedReadStaleAfterTheRemoval) {
  const PartitionId id = made(orders(0));
  for (int i = 0; i < 20; ++i) append(id, 5);
  subject_->settle();
  const auto plan = store().plan_read(id, {Offset{0}, Offset{5}, 1000});
  ASSERT_TRUE(store().remove(id).has_value());
  subject_->settle();
  EXPECT_EQ(store().read(*plan).error(), make_error_code(StorageErrc::stale_read));
}

TEST_P(StoreContract, ReadsWhatWasPlannedBeforeATrim) {
  const PartitionId id = made(orders(0));
  append(id, 5);
  append(id, 5);
  subject_->settle();
  const auto plan = store().plan_read(id, {Offset{0}, Offset{10}, 1000});
  ASSERT_TRUE(store().trim(id, Offset{10}).has_value());
  subject_->settle();
  EXPECT_EQ(store().read(*plan)->batches.size(), 2U);
}

TEST_P(StoreContract, MakesANewPartitionUnderAnOldName) {
  const PartitionId old = made(orders(0));
  append(old, 5);
  ASSERT_TRUE(store().remove(old).has_value());
  model_.partitions.clear();
  EXPECT_EQ(store().trim(old, Offset{1}).error(), make_error_code(StorageErrc::unknown_partition));
  const PartitionSpec again{
      .topic = protocol::uuid_from_halves(8, 8), .name = "orders", .queue = QueueId{0}, .start = {}, .indexing = 1};
  const PartitionId id = made(again);
  EXPECT_NE(id, old);
  append(id, 2);
  subject_->settle();
  EXPECT_EQ(difference(store(), model_), "");
  if (subject_->reopen()) {
    EXPECT_EQ(difference(store(), model_), "");
  }
}

TEST_P(StoreContract, RemembersWhereEpochsBegan) {
  const PartitionId id = made(orders(0));
  append(id, 5, 0, 1);
  ASSERT_TRUE(store().start_epoch(id, LeaderEpoch{3}).has_value());
  StoreModel::start_epoch(model_.partitions.at({kOrders, 0}), LeaderEpoch{3});
  append(id, 5, 0, 4);
  subject_->settle();
  EXPECT_EQ(difference(store(), model_), "");
  EXPECT_EQ(store().view(id).epochs.size(), 2U);
}

TEST_P(StoreContract, CarriesOnAfterACleanStop) {
  const PartitionId id = made(orders(0));
  append(id, 5);
  store().keep_state(id, Offset{5}, protocol::as_bytes("producers"));
  auto& expected = model_.partitions.at({kOrders, 0});
  expected.kept_as_of = Offset{5};
  const ByteView kept = protocol::as_bytes("producers");
  expected.kept.assign(kept.begin(), kept.end());
  subject_->settle();
  if (!subject_->reopen()) GTEST_SKIP() << "keeps nothing";
  EXPECT_EQ(difference(store(), model_), "");
  append(store().find(kOrders, QueueId{0}).value(), 1);
  subject_->settle();
  EXPECT_EQ(difference(store(), model_), "");
}

// A checkpoint that is just as new as the log does not hold what was kept after it.
TEST_P(StoreContract, KeepsStateThatIsAllThatChangedBeforeACleanStop) {
  const PartitionId id = made(orders(0));
  for (int i = 0; i < 4; ++i) append(id, {.count = 1, .body_bytes = 30'000});
  subject_->settle();
  const ByteView kept = protocol::as_bytes("producers");
  store().keep_state(id, Offset{2}, kept);
  auto& expected = model_.partitions.at({kOrders, 0});
  expected.kept_as_of = Offset{2};
  expected.kept.assign(kept.begin(), kept.end());
  if (!subject_->reopen()) GTEST_SKIP() << "keeps nothing";
  EXPECT_EQ(difference(store(), model_), "");
}

TEST_P(StoreContract, DoesWhatTheModelDoesInRandomOperations) {
  const std::uint64_t seed = test_seed();
  const std::uint64_t operations = test_scale(100'000, 1'500'000);
  RandomOperations random(seed, {});
  for (std::uint64_t i = 0; i < operations; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", operation " + std::to_string(i));
    ASSERT_EQ(random.step(store()), "");
    if (random.random().chance(1, 20)) {
      subject_->settle();
      ASSERT_EQ(random.read_somewhere(store()), "");
    }
    if (random.random().chance(1, 2000)) {
      subject_->settle();
      ASSERT_EQ(difference(store(), random.model()), "");
    }
    if (random.random().chance(1, 3000) && subject_->reopen()) {
      ASSERT_EQ(difference(store(), random.model()), "");
    }
  }
  subject_->settle();
  ASSERT_EQ(difference(store(), random.model()), "");
  print_count(operations, "random operations");
}

INSTANTIATE_TEST_SUITE_P(Every, StoreContract, testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace braid::storage
