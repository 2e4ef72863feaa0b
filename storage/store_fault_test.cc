// Every call of the file system fails once, or from then on for ever; what was acknowledged before is found afterwards.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "storage/crash_judge.h"
#include "storage/errors.h"
#include "storage/test_seed.h"
#include "storage/test_store.h"

namespace braid::storage {
namespace {

/// Creates, appends, trims, removes, with upkeep in between, until something fails. What is acknowledged by then.
LogPosition work_until_it_fails(CommitLogStore& store, OperationHistory& history) {
  std::uint64_t seed = 0;
  const PartitionSpec spec{
      .topic = protocol::uuid_from_halves(7, 7), .name = "a", .queue = QueueId{0}, .start = {}, .indexing = 1};
  const auto created = store.create(spec);
  if (created.has_error()) return store.progress().synced;
  history.add(created->end_position, [spec](StoreModel& model) { model.create(spec); });
  const StoreModel::Key key{spec.topic, 0};
  for (int i = 0; i < 40; ++i) {
    const Bytes batch = make_batch({.count = 2, .body_bytes = 900, .seed = ++seed});
    const auto tags = tags_of_test_batch(batch);
    auto room = store.reserve(store.entry_bytes(batch.size()), Purpose::kProduce);
    if (room.has_value()) {
      const Appended appended = store.append(
          created->partition,
          {.bytes = batch, .epoch = LeaderEpoch{0}, .tag_hashes = tags, .durability = Durability::kSynced, .now = {}},
          *room);
      history.add(appended.end_position,
                  [key, batch](StoreModel& model) { model.append(model.partitions.at(key), LeaderEpoch{0}, batch); });
    }
    if (i % 10 == 9) {
      const Offset start = store.view(created->partition).end;
      const auto end = store.trim(created->partition, start);
      if (end.has_value())
        history.add(*end, [key, start](StoreModel& model) { StoreModel::trim(model.partitions.at(key), start); });
    }
    if (store.write_out({}).has_error()) break;
    if (std::unique_ptr<Chore> chore = store.next_chore({})) {
      chore->run();
      if (store.finish(std::move(chore)).has_error()) break;
    }
  }
  return store.progress().synced;
}

/// "" if all that was acknowledged before the fault is there after it. `went_wrong`: the fault struck at all.
std::string survives(const Fault& fault, CutVariant variant, bool& went_wrong) {
  MemoryFileSystem files;
  auto opened = CommitLogStore::open(files, small_store_options(), {});
  if (opened.has_error()) return "it does not even open";
  OperationHistory history;
  files.plan(fault);
  const LogPosition acknowledged = work_until_it_fails(**opened, history);
  went_wrong = (*opened)->progress().failed;
  if (went_wrong && (*opened)->reserve(10, Purpose::kProduce).error() != make_error_code(StorageErrc::failed))
    return "appends go on after a failure";
  if (went_wrong && ((*opened)->write_out({}).has_value() || (*opened)->progress().synced != acknowledged))
    return "acknowledges after a failure";
  opened->reset();
  files.restart({variant, fault.nth});
  const auto again = CommitLogStore::open(files, small_store_options(), {});
  if (again.has_error()) return "open: " + again.error().message();
  if ((*again)->report().end < acknowledged) return "acknowledged entries are lost";
  StoreModel expected = history.state_at((*again)->report().end);
  if ((*again)->report().was_cut) expected.raise_epochs();
  return difference(**again, expected);
}

struct FaultCase {
  const char* name;
  std::optional<Operation> operation;
  bool for_ever;
};

class StoreFault : public testing::TestWithParam<FaultCase> {};

TEST_P(StoreFault, LosesNothingAcknowledgedWhicheverCallFails) {
  std::uint64_t failures = 0;
  // Each third call, another third each time; all of them in the long version.
  const std::uint64_t stride = test_scale(3, 1);
  for (std::uint64_t nth = 1 + test_seed() % stride; nth < 300; nth += stride) {
    bool went_wrong = false;
    const Fault fault{.operation = GetParam().operation, .nth = nth, .for_ever = GetParam().for_ever};
    const CutVariant variant = nth % 2 == 0 ? CutVariant::kKeepAll : CutVariant::kDropUnsynced;
    ASSERT_EQ(survives(fault, variant, went_wrong), "") << "call " << nth;
    if (went_wrong) ++failures;
    if (!went_wrong && nth > 50) break;
  }
  EXPECT_GT(failures, 5U);
}

INSTANTIATE_TEST_SUITE_P(Every, StoreFault,
                         testing::Values(FaultCase{"any_call_once", std::nullopt, false},
                                         FaultCase{"any_call_for_ever", std::nullopt, true},
                                         FaultCase{"sync_once", Operation::kSync, false},
                                         FaultCase{"write_once", Operation::kWrite, false}),
                         [](const auto& given) { return given.param.name; });

TEST(StoreFaultOfSpace, RefusesProduceWhenTheDiskIsFullAndGoesOnWhenItIsNot) {
  TestStore store;
  const PartitionId id = store.create("a");
  store.append(id);
  store.settle();
  store.files().set_capacity(1);
  bool refused = false;
  bool granted = false;
  for (int i = 0; i < 500 && !refused; ++i) {
    {
      const auto room = store.store().reserve(1000, Purpose::kProduce);
      refused = room.has_error() && room.error() == make_error_code(StorageErrc::disk_full);
      granted = room.has_value();
    }
    if (granted) store.append(id, 800);
    store.write();
    if (std::unique_ptr<Chore> chore = store.store().next_chore({})) {
      chore->run();
      ASSERT_TRUE(store.store().finish(std::move(chore)).has_value());
    }
  }
  EXPECT_TRUE(refused);
  store.trim(id, store.store().view(id).end);
  EXPECT_FALSE(store.store().progress().failed);
  store.files().set_capacity(std::uint64_t{1} << 30);
  store.settle(2000);
  EXPECT_TRUE(store.store().reserve(1000, Purpose::kProduce).has_value());
  store.append(id);
  store.settle(2000);
  ASSERT_TRUE(store.close_and_open());
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreFaultOfSpace, AShortWriteIsContinuedAndNothingFails) {
  for (std::uint64_t nth = 1; nth < 60; ++nth) {
    bool went_wrong = false;
    ASSERT_EQ(survives({.operation = Operation::kWrite, .nth = nth, .effect = Fault::Effect::kShort},
                       CutVariant::kDropUnsynced, went_wrong),
              "");
    EXPECT_FALSE(went_wrong) << "write " << nth;
  }
}

}  // namespace
}  // namespace braid::storage
