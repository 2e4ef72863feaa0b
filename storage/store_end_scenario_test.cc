// What can happen where a log ends: torn writes, stale bytes, damage in the newest groups. One story a test; the rules
// are those of docs/storage.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "storage/errors.h"
#include "storage/test_store.h"

namespace braid::storage {
namespace {

using Kind = RecoveryFinding::Kind;

const PowerCut kKilled{CutVariant::kKeepAll, 0};
const PowerCut kUnsyncedLost{CutVariant::kDropUnsynced, 0};
const std::string kFirstFile = "commitlog/00000000000000000000";
constexpr std::uint64_t kSector = 512;

Bytes bytes_at(MemoryFileSystem& files, const std::string& path, std::uint64_t at, std::size_t count) {
  Bytes bytes(count);
  const auto file = files.open(path, {});
  EXPECT_TRUE(file.has_value());
  EXPECT_EQ(*(*file)->read(at, bytes), count);
  return bytes;
}

TEST(StoreEndScenario, ALastBlockTornAtAnySectorLosesOnlyWhatWasNotSynced) {
  for (std::uint64_t sector = 0; sector < 8; ++sector) {
    TestStore store;
    const PartitionId id = store.create("a");
    store.append(id, 700);
    store.settle();
    const StoreModel synced = store.model();
    const std::int64_t before = store.store().progress().synced.value;
    while (store.store().progress().written.value / 4096 == before / 4096) {
      store.append(id, 300, Durability::kWritten);
      store.write();
    }
    // The block that both share: from this sector on it is as it was before.
    const std::uint64_t block = static_cast<std::uint64_t>(before) / 4096 * 4096;
    const std::uint64_t from = std::max(block + sector * 512, static_cast<std::uint64_t>(before));
    const std::uint64_t cut_bytes = from < block + 4096 ? block + 4096 - from : 0;
    ASSERT_TRUE(store.files().damage("commitlog/00000000000000000000", from, Bytes(cut_bytes)).has_value());
    ASSERT_TRUE(store.reopen_after(kKilled));
    EXPECT_GE(store.report().end.value, before) << sector;
    EXPECT_FALSE(store.report().has(Kind::kBadEntry));
    const PartitionView view = store.store().view(store.named("a"));
    EXPECT_GE(view.end, Offset{2});
    const auto plan = store.store().plan_read(store.named("a"), {Offset{0}, view.end, SIZE_MAX});
    EXPECT_EQ(static_cast<std::int64_t>(store.store().read(*plan)->batches.size()) * 2, view.end.value);
  }
}

TEST(StoreEndScenario, StaleEntriesOfAnOlderIncarnationBehindTheTailAfterACutAreNeverTaken) {
  TestStore store;
  const PartitionId id = store.create("a");
  store.append(id);
  store.settle();
  const LogPosition end = store.store().progress().synced;
  store.append(id, 500, Durability::kWritten);
  store.append(id, 500, Durability::kWritten);
  store.write();
  const auto behind = static_cast<std::uint64_t>(end.value);
  const Bytes earlier = bytes_at(store.files(), "commitlog/00000000000000000000", behind, 1500);
  ASSERT_TRUE(store.reopen_after(kUnsyncedLost));
  EXPECT_EQ(store.report().end, end);
  // The old bytes come back, behind the incarnation entry that is there now.
  const std::size_t gone = 88;
  ASSERT_TRUE(store.files()
                  .damage("commitlog/00000000000000000000", behind + gone, ByteView(earlier).subspan(gone))
                  .has_value());
  ASSERT_TRUE(store.reopen_after(kKilled));
  EXPECT_EQ(store.report().end.value, end.value + 88);
  EXPECT_EQ(store.store().view(store.named("a")).end, Offset{2});
  EXPECT_TRUE(store.report().was_cut);
}

TEST(StoreEndScenario, DamageInTheLastGroupOfAnIdleLogIsProvenByItsSyncMark) {
  TestStore store;
  const PartitionId id = store.create("a");
  const Appended last = store.append(id);
  store.settle(0);
  store.settle(10);
  store.settle(2000);
  store.settle(2001);
  ASSERT_TRUE(
      store.files()
          .damage("commitlog/00000000000000000000", static_cast<std::uint64_t>(last.position.value) + 300, Bytes(8))
          .has_value());
  store.options().from_log_only = true;
  ASSERT_TRUE(store.reopen_after(kKilled));
  EXPECT_TRUE(store.report().has(Kind::kBadEntry));
  EXPECT_EQ(store.store().view(store.named("a")).end, Offset{2});
}

TEST(StoreEndScenario, ACheckpointAheadOfTheLogIsReportedAndPositionsAreNotUsedAgain) {
  TestStore store;
  const PartitionId id = store.create("a");
  store.append(id);
  store.settle();
  const std::int64_t kept = store.store().progress().synced.value;
  for (int i = 0; i < 20; ++i) store.append(id, 900);
  ASSERT_TRUE(store.store().close().has_value());
  const LogPosition synced = store.store().progress().synced;
  {
    const auto log = store.files().open("commitlog/00000000000000000000", {.mode = OpenMode::kWrite});
    ASSERT_TRUE((*log)->truncate(static_cast<std::uint64_t>(kept)).has_value());
  }
  ASSERT_TRUE(store.open());
  EXPECT_TRUE(store.report().has(Kind::kBadCheckpoint));
  EXPECT_TRUE(store.report().has(Kind::kLostEnd));
  EXPECT_GE(store.report().end, synced);
  EXPECT_EQ(store.store().view(store.named("a")).end, Offset{2});
  EXPECT_GE(store.append(store.named("a")).position, synced);
}

TEST(StoreEndScenario, AnEntryThatEndsAtAFilesEndIsFoundAndTheNextFileGoesOn) {
  TestStore store;
  const PartitionId id = store.create("a");
  for (int i = 0; i < 10; ++i) store.append(id, 9000);
  store.settle();
  const std::int64_t left = 128 * 1024 - store.store().progress().synced.value;
  store.append(id, static_cast<std::size_t>(left - 88 - 61));
  store.settle();
  EXPECT_EQ(store.store().progress().synced, LogPosition{128 * 1024});
  ASSERT_TRUE(store.reopen_after(kKilled));
  EXPECT_EQ(store.report().end, LogPosition{128 * 1024});
  store.append(store.named("a"));
  store.settle();
  ASSERT_TRUE(store.close_and_open());
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreEndScenario, ANewHeaderOverAnOldPayloadIsATornTail) {
  // The same bytes once more, so that the old payload has the right size and even a batch's shape.
  TestStore store;
  const PartitionId id = store.create("a");
  store.append(id);
  store.settle();
  const LogPosition end = store.store().progress().synced;
  store.append(id, 700, Durability::kWritten);
  store.write();
  const auto at = static_cast<std::uint64_t>(end.value);
  const Bytes old_payload = bytes_at(store.files(), kFirstFile, at + 88, 761);
  ASSERT_TRUE(store.reopen_after(kUnsyncedLost));
  StoreModel::truncate(store.expected(store.named("a")), Offset{2});
  const LogPosition torn = store.store().progress().synced;
  store.append(store.named("a"), 700, Durability::kWritten);
  store.write();
  ASSERT_TRUE(store.files().damage(kFirstFile, static_cast<std::uint64_t>(torn.value) + 88, old_payload).has_value());
  ASSERT_TRUE(store.reopen_after(kKilled));
  EXPECT_EQ(store.report().end, torn);
  EXPECT_TRUE(store.report().has(Kind::kTornTail));
  StoreModel::truncate(store.expected(store.named("a")), Offset{2});
  store.model().raise_epochs();
  EXPECT_EQ(store.difference_to_model(), "");
}

/// Fields of an entry's header, and of the batch in it, by where they begin.
constexpr std::uint64_t kFields[] = {0,  4,  8,  12,  13,  14,  16,  24,  28,  32,  48,  52,  56,  64,  68, 72,
                                     80, 88, 96, 100, 104, 105, 109, 111, 115, 123, 131, 139, 141, 145, 149};

void damage_field(TestStore& store, LogPosition entry, std::uint64_t field) {
  const auto at = static_cast<std::uint64_t>(entry.value) + field;
  Bytes byte = bytes_at(store.files(), kFirstFile, at, 1);
  byte[0] ^= std::byte{0x10};
  ASSERT_TRUE(store.files().damage(kFirstFile, at, byte).has_value());
}

TEST(StoreEndScenario, DamageInEachFieldOfTheLastGroupIsCorruptionWhenASyncMarkFollows) {
  for (const std::uint64_t field : kFields) {
    SCOPED_TRACE(field);
    TestStore store;
    const PartitionId id = store.create("a");
    const Appended first = store.append(id);
    store.settle(0);
    const Appended last = store.append(id);
    for (const std::int64_t now : {1, 10, 2000, 2001}) store.settle(now);
    damage_field(store, last.position, field);
    store.options().from_log_only = true;
    ASSERT_TRUE(store.reopen_after(kKilled));
    ASSERT_TRUE(store.report().has(Kind::kBadEntry));
    EXPECT_EQ(store.report().findings[0].position, last.position);
    EXPECT_FALSE(store.report().was_cut);
    const PartitionId again = store.named("a");
    EXPECT_TRUE(store.store().read(*store.store().plan_read(again, {first.base, first.end, 1})).has_value());
    const auto lost = store.store().plan_read(again, {last.base, last.end, 1});
    if (lost.has_value() && store.store().view(again).end > last.base) {
      EXPECT_EQ(store.store().read(*lost).error(), make_error_code(StorageErrc::corrupt));
    }
  }
}

TEST(StoreEndScenario, DamageInEachFieldOfTheLastGroupWithoutAMarkIsCutAndNothingElseIs) {
  for (const std::uint64_t field : kFields) {
    SCOPED_TRACE(field);
    TestStore store;
    const PartitionId id = store.create("a");
    store.append(id);
    store.settle();
    const Appended last = store.append(id);
    store.settle();
    damage_field(store, last.position, field);
    ASSERT_TRUE(store.reopen_after(kKilled));
    EXPECT_TRUE(store.report().has(Kind::kTornTail));
    EXPECT_EQ(store.report().end, last.position);
    StoreModel::truncate(store.expected(store.named("a")), last.base);
    store.model().raise_epochs();
    EXPECT_EQ(store.difference_to_model(), "");
  }
}

/// Appends so that the synced log ends `place` bytes into a sector, and says where. The time makes no field of the next
/// start's entry zero that another one has.
std::uint64_t end_in_sector(TestStore& store, std::uint64_t place) {
  const PartitionId id = store.create("a");
  const protocol::WallTime now{0x0123'4567'89ab};
  const auto append = [&](std::int64_t entry_bytes) {
    const auto body = static_cast<std::size_t>(entry_bytes - 88 - 61);
    return store.append_batch(id, make_batch({.count = 2, .body_bytes = body}), Durability::kSynced, now).end_position;
  };
  const std::int64_t end = append(192).value;
  const std::int64_t missing = (static_cast<std::int64_t>(place) - end % 512 + 1024) % 512;
  EXPECT_EQ(append(missing < 152 ? missing + 512 : missing).value % 512, static_cast<std::int64_t>(place));
  store.settle();
  return static_cast<std::uint64_t>(store.store().progress().synced.value);
}

/// Of the entry [begin, begin + bytes) only the first sector reached the disk.
void tear(TestStore& store, std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t sector_end = (begin / kSector + 1) * kSector;
  ASSERT_TRUE(store.files().damage(kFirstFile, sector_end, Bytes(begin + bytes - sector_end)).has_value());
}

// An entry of 88 bytes can be torn only where it crosses a sector's end; of what is behind that, the time is not zero.
TEST(StoreEndScenario, ATornEntryOfAStartRaisesNoEpoch) {
  for (std::uint64_t place = 512 - 80; place <= 512 - 16; place += 8) {
    SCOPED_TRACE(place);
    TestStore store;
    const std::uint64_t end = end_in_sector(store, place);
    ASSERT_TRUE(store.reopen_after(kKilled));
    tear(store, end, 88);
    ASSERT_TRUE(store.reopen_after(kKilled));
    EXPECT_EQ(store.report().end.value, static_cast<std::int64_t>(end));
    EXPECT_EQ(store.report().findings_count, 0);
    EXPECT_FALSE(store.report().was_cut);
    EXPECT_EQ(store.difference_to_model(), "");
  }
}

TEST(StoreEndScenario, ATornEntryOfAStartBehindACutKeepsTheCutInMind) {
  TestStore store;
  const std::uint64_t end = end_in_sector(store, 512 - 40);
  store.append(store.named("a"), 500, Durability::kWritten);
  store.write();
  ASSERT_TRUE(store.files().damage(kFirstFile, end + 100, Bytes(100)).has_value());
  ASSERT_TRUE(store.reopen_after(kKilled));
  ASSERT_TRUE(store.report().was_cut);
  tear(store, end, 88);
  ASSERT_TRUE(store.reopen_after(kKilled));
  EXPECT_TRUE(store.report().was_cut) << "the epochs were to rise, and nothing says that they did";
  StoreModel::truncate(store.expected(store.named("a")), Offset{4});
  store.model().raise_epochs();
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST(StoreEndScenario, AnyOtherEntryTornAtTheSamePlacesRaisesTheEpochs) {
  for (std::uint64_t place = 512 - 80; place <= 512 - 16; place += 8) {
    SCOPED_TRACE(place);
    TestStore store;
    const std::uint64_t end = end_in_sector(store, place);
    store.append(store.named("a"), 500, Durability::kWritten);
    store.write();
    tear(store, end, store.store().entry_bytes(61 + 500));
    ASSERT_TRUE(store.reopen_after(kKilled));
    EXPECT_TRUE(store.report().was_cut);
    EXPECT_TRUE(store.report().has(Kind::kTornTail));
  }
}

TEST(StoreEndScenario, QueuePagesAheadOfTheLogAreNotServedAndAreWrittenOver) {
  TestStore store;
  const PartitionId id = store.create("a");
  for (int i = 0; i < 20; ++i) store.append(id);
  store.settle();
  const auto earlier = store.files().after_cut(kKilled);
  StoreModel model = store.model();
  for (int i = 0; i < 40; ++i) store.append(id);
  store.settle();
  const std::string path = "consumequeue/a/0/00000000000000000000";
  const auto later = store.files().open(path, {});
  ASSERT_TRUE(later.has_value());
  const Bytes pages = bytes_at(store.files(), path, 0, *(*later)->size());
  ASSERT_GT(pages.size(), 40U * 20) << "more units than the earlier log has records";
  ASSERT_TRUE((*earlier->open(path, {.mode = OpenMode::kCreate}))->write(0, pages).has_value());

  auto opened = CommitLogStore::open(*earlier, small_store_options(), {});
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ((*opened)->report().findings_count, 0);
  EXPECT_EQ(difference(**opened, model), "");
  const PartitionId again = (*opened)->partitions()[0];
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Bytes batch = make_batch({.count = 1, .body_bytes = 900, .seed = 5000 + i});
    auto room = (*opened)->reserve((*opened)->entry_bytes(batch.size()), Purpose::kProduce);
    ASSERT_TRUE(room.has_value());
    const auto tags = tags_of_test_batch(batch);
    model.append(model.partitions.begin()->second, LeaderEpoch{0}, batch);
    (*opened)->append(again, {.bytes = batch, .epoch = LeaderEpoch{0}, .tag_hashes = tags, .durability = {}, .now = {}},
                      *room);
    ASSERT_TRUE((*opened)->write_out({}).has_value());
    if (std::unique_ptr<Chore> chore = (*opened)->next_chore({})) {
      chore->run();
      ASSERT_TRUE((*opened)->finish(std::move(chore)).has_value());
    }
  }
  EXPECT_EQ(difference(**opened, model), "");
  ASSERT_TRUE((*opened)->close().has_value());
  opened->reset();
  opened = CommitLogStore::open(*earlier, small_store_options(), {});
  EXPECT_EQ(difference(**opened, model), "");
}

TEST(StoreEndScenario, ASyncedPositionBeyondTheEndIsReportedAndTheLogGoesOnAboveIt) {
  TestStore store;
  const PartitionId id = store.create("a");
  std::vector<Appended> appended;
  for (int i = 0; i < 200; ++i) {
    appended.push_back(store.append(id, 1000));
    if (i % 5 == 0) store.settle();
  }
  ASSERT_TRUE(store.store().close().has_value());
  const LogPosition synced = store.store().progress().synced;
  const LogPosition last_file{synced.value / (128 * 1024) * 128 * 1024};
  ASSERT_TRUE(store.files().remove_file(log_file_path(last_file)).has_value());
  ASSERT_TRUE(store.open());
  EXPECT_TRUE(store.report().has(Kind::kLostEnd));
  EXPECT_GE(store.report().end, synced);
  const PartitionId again = store.named("a");
  const auto first_lost =
      std::ranges::find_if(appended, [&](const Appended& batch) { return batch.position >= last_file; });
  EXPECT_EQ(store.store().view(again).end, first_lost->base);
  StoreModel::truncate(store.expected(again), first_lost->base);
  const Appended next = store.append(again);
  EXPECT_GE(next.position, synced);
  EXPECT_EQ(next.base, first_lost->base);
  store.settle();
  ASSERT_TRUE(store.close_and_open());
  EXPECT_EQ(store.report().findings_count, 0);
}

}  // namespace
}  // namespace braid::storage
