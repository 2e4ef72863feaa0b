// What can happen to a shared log, one story a test; the rules are those of docs/storage.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "storage/commitlog/topic_directory.h"
#include "storage/errors.h"
#include "storage/test_store.h"

namespace braid::storage {
namespace {

using Kind = RecoveryFinding::Kind;

const PowerCut kKilled{CutVariant::kKeepAll, 0};
const PowerCut kUnsyncedLost{CutVariant::kDropUnsynced, 0};

TEST(StoreScenario, ASecondOpenOfTheSameDirectoryIsRefused) {
  TestStore store;
  EXPECT_EQ(CommitLogStore::open(store.files(), small_store_options(), {}).error(),
            make_error_code(StorageErrc::in_use));
}

TEST(StoreScenario, ACleanStopLeavesNothingToScanAndGivesBlocksBack) {
  TestStore store;
  const PartitionId id = store.create("a");
  for (int i = 0; i < 20; ++i) store.append(id);
  store.settle();
  ASSERT_TRUE(store.close_and_open());
  EXPECT_EQ(store.report().scanned_from, store.report().end);
  EXPECT_LE(store.report().scanned_bytes, kBlockBytes);
  EXPECT_EQ(store.difference_to_model(), "");
}

// Small and large batches; the last units are still in memory while those before are in the queue's files, and each
// batch is far from the one before, so that it is fetched for itself.
TEST(StoreScenario, AReadHasNoHoleWhateverItsLimit) {
  TestStore store;
  const PartitionId id = store.create("a");
  const PartitionId between = store.create("b");
  for (int i = 0; i < 4; ++i) {
    store.append(id, 40);
    store.append(id, 700);
    store.settle();
  }
  store.append(between, 70'000);
  store.append(id, 40);
  store.write();
  const auto& expected = store.expected(id);
  for (std::int64_t from = 0; from < expected.end.value; ++from)
    for (std::size_t bytes_max = 1; bytes_max < 2000; bytes_max += 70) {
      const ReadRequest request{Offset{from}, expected.end, bytes_max};
      const auto read = store.store().read(*store.store().plan_read(id, request));
      ASSERT_TRUE(read.has_value());
      const auto batches = StoreModel::read(expected, request);
      ASSERT_FALSE(read->batches.empty());
      ASSERT_LE(read->batches.size(), batches.size()) << "from " << from << ", at most " << bytes_max << " bytes";
      for (std::size_t i = 0; i < read->batches.size(); ++i)
        ASSERT_TRUE(std::ranges::equal(read->batches[i], batches[i]->bytes)) << i;
    }
}

TEST(StoreScenario, APlanSaysWhetherItsReadIsFromMemory) {
  TestStore store;
  const PartitionId id = store.create("a");
  store.append(id, 40);
  store.write();
  const auto from_memory = [&](Offset from) {
    return store.store().plan_read(id, {from, store.expected(id).end, 1'000}).value().from_memory;
  };
  EXPECT_TRUE(from_memory(Offset{0}));
  EXPECT_TRUE(from_memory(store.expected(id).end)) << "there is nothing to read";
  store.settle();
  for (int i = 0; i < 40; ++i) {  // more than the tail keeps
    store.append(id, 10'000);
    store.write();
  }
  EXPECT_FALSE(from_memory(Offset{0}));
}

TEST(StoreScenario, AQueueIsBuiltAnewWhileItsPartitionIsCutAndGrows) {
  TestStore store;
  const PartitionId id = store.create("a");
  for (int i = 0; i < 12; ++i) {
    store.append(id, 300);
    store.settle();
  }
  ASSERT_TRUE(store.files().damage("consumequeue/a/0/00000000000000000000", 60, Bytes(100)).has_value());
  const auto plan = store.store().plan_read(id, {Offset{4}, Offset{24}, 1});
  EXPECT_EQ(store.store().read(*plan).error(), make_error_code(StorageErrc::not_yet));
  std::unique_ptr<Chore> chore = store.store().next_chore({});
  ASSERT_NE(chore, nullptr);
  EXPECT_TRUE(store.report().has(Kind::kBadQueue));
  // While it is on its way: other batches in the place of some that it finds in the log.
  StoreModel::truncate(store.expected(id), Offset{10});
  ASSERT_TRUE(store.store().truncate(id, Offset{10}).has_value());
  for (int i = 0; i < 8; ++i) store.append(id, 200);
  store.write();
  chore->run();
  ASSERT_TRUE(store.store().finish(std::move(chore)).has_value());
  store.settle();
  EXPECT_EQ(store.difference_to_model(), "");
  ASSERT_TRUE(store.close_and_open());
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreScenario, OneDamagedQueueIsBuiltAnewAloneBeforeAnythingIsServed) {
  TestStore store;
  const PartitionId a = store.create("a");
  const PartitionId b = store.create("b");
  for (int i = 0; i < 300; ++i) store.append(i % 2 == 0 ? a : b, 1000);
  ASSERT_TRUE(store.store().close().has_value());
  ASSERT_TRUE(remove_tree(store.files(), "consumequeue/a").has_value());
  std::set<std::string> written;
  store.files().observe([&](const MemoryCall& call) {
    if (call.operation == Operation::kWrite) written.insert(std::string(call.path));
  });
  ASSERT_TRUE(store.open());
  store.files().observe({});
  EXPECT_EQ(store.report().findings_count, 1);
  ASSERT_TRUE(store.report().has(Kind::kBadQueue));
  EXPECT_EQ(store.report().findings[0].path, "consumequeue/a/0");
  EXPECT_TRUE(written.contains("consumequeue/a/0/00000000000000000000"));
  EXPECT_FALSE(written.contains("consumequeue/b/0/00000000000000000000"));
  EXPECT_EQ(store.report().scanned_from, store.report().end) << "nothing is replayed";
  EXPECT_EQ(store.difference_to_model(), "");
  ASSERT_TRUE(store.close_and_open());
  EXPECT_EQ(store.report().findings_count, 0);
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreScenario, ADamagedPayloadBelowTheSyncedPositionIsReportedAndOnlyItIsNotServed) {
  TestStore store;
  const PartitionId id = store.create("a");
  const PartitionId other = store.create("b");
  store.append(id);
  const Appended damaged = store.append(id);
  store.append(id);
  store.append(other);
  store.settle();
  store.append(other);
  store.settle();
  ASSERT_TRUE(
      store.files()
          .damage("commitlog/00000000000000000000", static_cast<std::uint64_t>(damaged.position.value) + 200, Bytes(8))
          .has_value());
  store.options().from_log_only = true;
  ASSERT_TRUE(store.reopen_after(kKilled));
  ASSERT_TRUE(store.report().has(Kind::kBadEntry));
  EXPECT_EQ(store.report().findings[0].position, damaged.position);
  EXPECT_EQ(store.report().findings[0].path, "commitlog/00000000000000000000");
  EXPECT_FALSE(store.report().was_cut);
  const PartitionId again = store.named("a");
  const auto read = [&](std::int64_t from) {
    return store.store().read(*store.store().plan_read(again, {Offset{from}, Offset{6}, SIZE_MAX}));
  };
  EXPECT_EQ(read(0)->batches.size(), 1U);
  EXPECT_EQ(read(2).error(), make_error_code(StorageErrc::corrupt));
  EXPECT_EQ(read(4)->batches.size(), 1U);
  EXPECT_EQ(difference(store.store(), store.named("b"), store.expected(store.named("b"))), "");
}

TEST(StoreScenario, ADamagedHeaderBelowTheSyncedPositionCostsItsOffsetsOnly) {
  TestStore store;
  const PartitionId id = store.create("a");
  store.append(id);
  const Appended damaged = store.append(id);
  store.append(id);
  store.settle();
  store.append(id);
  store.settle();
  ASSERT_TRUE(store.files()
                  .damage("commitlog/00000000000000000000", static_cast<std::uint64_t>(damaged.position.value) + 20,
                          Bytes(8, std::byte{9}))
                  .has_value());
  store.options().from_log_only = true;
  ASSERT_TRUE(store.reopen_after(kKilled));
  EXPECT_TRUE(store.report().has(Kind::kBadEntry));
  const PartitionId again = store.named("a");
  EXPECT_EQ(store.store().view(again).end, Offset{8});
  const auto read = [&](std::int64_t from) {
    return store.store().read(*store.store().plan_read(again, {Offset{from}, Offset{8}, SIZE_MAX}));
  };
  EXPECT_EQ(read(0)->batches.size(), 1U);
  EXPECT_EQ(read(3).error(), make_error_code(StorageErrc::corrupt));
  EXPECT_EQ(read(4)->batches.size(), 2U);
}

TEST(StoreScenario, APartitionOfWhichTheCreatedEntryIsSyncedButItsFileFreedIsStillThereWithoutDerivedFiles) {
  TestStore store;
  const PartitionId idle = store.create("idle");
  store.append(idle);
  store.trim(idle, Offset{2});
  const PartitionId busy = store.create("busy");
  for (int i = 0; i < 300; ++i) {
    store.append(busy, 1000);
    if (i % 10 == 0) store.trim(busy, store.store().view(busy).end);
    store.settle();
  }
  store.trim(busy, store.store().view(busy).end);
  store.settle();
  EXPECT_LE(store.files().list("commitlog")->size(), 3U);
  EXPECT_GT(store.store().progress().synced.value, 2 * 128 * 1024);
  ASSERT_TRUE(store.store().close().has_value());
  for (const char* const derived : {"checkpoint", "consumequeue"})
    ASSERT_TRUE(remove_tree(store.files(), derived).has_value());
  ASSERT_TRUE(store.open());
  EXPECT_EQ(store.report().findings_count, 0);
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreScenario, AReadThatTrimmingOvertookIsOutOfRangeNotDamaged) {
  TestStore store;
  const PartitionId short_lived = store.create("short-lived");
  const PartitionId removed = store.create("removed");
  store.append(short_lived);
  store.append(removed);
  const PartitionId busy = store.create("busy");
  store.settle();
  const ReadRequest all{.from = {}, .end = Offset{2}, .bytes_max = 10'000};
  const auto plan = store.store().plan_read(short_lived, all);
  const auto other = store.store().plan_read(removed, all);
  ASSERT_TRUE(plan.has_value() && other.has_value());
  store.trim(short_lived, Offset{2});
  ASSERT_TRUE(store.store().remove(removed).has_value());
  for (int i = 0; i < 500; ++i) {
    store.append(busy, 1000);
    if (i % 10 == 0) store.trim(busy, store.store().view(busy).end);
    store.settle();
  }
  ASSERT_FALSE(store.files().open("commitlog/00000000000000000000", {}).has_value()) << "the file is freed";
  EXPECT_EQ(store.store().read(*plan).error(), make_error_code(StorageErrc::offset_out_of_range));
  EXPECT_EQ(store.store().read(*other).error(), make_error_code(StorageErrc::stale_read));
}

TEST(StoreScenario, FullQueuesAreWrittenOutTogetherWhenEnoughHasGathered) {
  TestStore store;
  store.options().queue_memory_bytes = 10 * sizeof(QueueRun);
  store.options().queue_round_bytes = 200 * sizeof(QueueRun);
  store.options().checkpoint_interval_bytes = std::int64_t{1} << 40;
  ASSERT_TRUE(store.open());
  const PartitionId first = store.create("first");
  const PartitionId second = store.create("second");
  const PartitionId quiet = store.create("quiet");
  const auto syncs = [&] { return store.files().calls(Operation::kSyncAll); };
  const std::uint64_t before = syncs();
  const auto waiting = [&](PartitionId id) { return store.store().state().partition(id)->queue.waiting_bytes(); };
  store.append(quiet);
  while (waiting(first) + waiting(second) + waiting(quiet) < 180 * sizeof(QueueRun)) {
    store.append(first);
    store.append(second);
    store.settle();
  }
  EXPECT_EQ(syncs(), before) << "both are full, but not enough has gathered";
  for (int i = 0; i < 20; ++i) store.append(first);
  store.settle();
  EXPECT_EQ(syncs(), before + 1) << "one sync for all";
  EXPECT_EQ(waiting(first), 0U);
  EXPECT_EQ(waiting(second), 0U);
  EXPECT_GT(waiting(quiet), 0U) << "it is not full";
  EXPECT_EQ(store.difference_to_model(), "");
  ASSERT_TRUE(store.close_and_open());
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreScenario, AnySubsetOfDerivedFilesMayBeDeleted) {
  for (int subset = 1; subset < 8; ++subset) {
    TestStore store;
    const PartitionId id = store.create("a");
    for (int i = 0; i < 100; ++i) store.append(id);
    store.settle();
    ASSERT_TRUE(store.store().close().has_value());
    if (subset & 1) static_cast<void>(store.files().remove_file("checkpoint/0").has_value());
    if (subset & 2) static_cast<void>(store.files().remove_file("checkpoint/1").has_value());
    if (subset & 4) {
      ASSERT_TRUE(remove_tree(store.files(), "consumequeue").has_value());
    }
    ASSERT_TRUE(store.open());
    EXPECT_EQ(store.difference_to_model(), "") << subset;
  }
}

TEST(StoreScenario, ADeletedTopicDoesNotReturnWhenQueuesAreBuiltAnew) {
  TestStore store;
  const PartitionId old = store.create("a");
  for (int i = 0; i < 10; ++i) store.append(old);
  store.settle();
  store.model().partitions.clear();
  ASSERT_TRUE(store.store().remove(old).has_value());
  const PartitionId again = store.create("a");
  store.append(again);
  store.settle();
  ASSERT_TRUE(store.store().close().has_value());
  for (const char* const derived : {"checkpoint", "consumequeue"})
    ASSERT_TRUE(remove_tree(store.files(), derived).has_value());
  ASSERT_TRUE(store.open());
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreScenario, ARemovedEntryThatIsLostTakesTheRemovalBack) {
  TestStore store;
  const PartitionId id = store.create("a");
  store.append(id);
  store.settle();
  ASSERT_TRUE(store.store().remove(id).has_value());
  ASSERT_TRUE(store.reopen_after(kUnsyncedLost));
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreScenario, ADamagedIdentitySlotIsReportedAndWrittenAgain) {
  TestStore store;
  store.create("a");
  store.settle();
  ASSERT_TRUE(store.files().damage("identity", 40, Bytes(4, std::byte{1})).has_value());
  ASSERT_TRUE(store.open());
  EXPECT_TRUE(store.report().has(Kind::kBadIdentitySlot));
  ASSERT_TRUE(store.open());
  EXPECT_EQ(store.report().findings_count, 0);
}

TEST(StoreScenario, WithoutAnIdentityALogIsNotOpened) {
  TestStore store;
  store.create("a");
  store.settle();
  ASSERT_TRUE(store.files().remove_file("identity").has_value());
  EXPECT_FALSE(store.open());
  EXPECT_EQ(store.error(), make_error_code(StorageErrc::no_identity));
}

TEST(StoreScenario, AFileOfAnotherStoreRefusesTheStart) {
  TestStore store;
  store.create("a");
  store.settle();
  Superblock foreign{protocol::uuid_from_halves(99, 99), LogPosition{0}, 128 * 1024};
  ASSERT_TRUE(store.files().damage("commitlog/00000000000000000000", 0, encode(foreign, 0x01020304)).has_value());
  EXPECT_FALSE(store.open());
  EXPECT_EQ(store.error(), make_error_code(StorageErrc::foreign));
}

TEST(StoreScenario, ADamagedSuperblockIsReportedAndWrittenAgain) {
  TestStore store;
  store.create("a");
  store.settle();
  ASSERT_TRUE(store.files().damage("commitlog/00000000000000000000", 10, Bytes(4, std::byte{7})).has_value());
  ASSERT_TRUE(store.open());
  EXPECT_TRUE(store.report().has(Kind::kBadSuperblock));
  ASSERT_TRUE(store.open());
  EXPECT_FALSE(store.report().has(Kind::kBadSuperblock));
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreScenario, AMissingMiddleFileIsReportedAndTheOthersAreServed) {
  TestStore store;
  const PartitionId id = store.create("a");
  std::vector<Appended> appended;
  for (int i = 0; i < 400; ++i) {
    appended.push_back(store.append(id, 1000));
    if (i % 5 == 0) store.settle();
  }
  store.settle();
  ASSERT_TRUE(store.store().close().has_value());
  ASSERT_TRUE(store.files().remove_file(log_file_path(LogPosition{128 * 1024})).has_value());
  store.options().from_log_only = true;
  ASSERT_TRUE(store.open());
  EXPECT_TRUE(store.report().has(Kind::kMissingFile));
  const PartitionId again = store.named("a");
  for (std::size_t i = 0; i < appended.size(); ++i) {
    const auto plan = store.store().plan_read(again, {appended[i].base, appended[i].end, 1});
    const auto read = store.store().read(*plan);
    const bool is_lost = appended[i].position.value / (128 * 1024) == 1;
    ASSERT_EQ(read.has_error(), is_lost) << i;
    if (!is_lost) {
      EXPECT_TRUE(std::ranges::equal(read->batches[0], store.expected(again).batches[i].bytes));
    }
  }
}

}  // namespace
}  // namespace braid::storage
