// Freed log files that become the log's next: what they held before is never taken for what they hold now.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/recycled_log.h"

namespace braid::storage {
namespace {

using Kind = RecoveryFinding::Kind;

const PowerCut kKilled{CutVariant::kKeepAll, 0};
const PowerCut kUnsyncedLost{CutVariant::kDropUnsynced, 0};

std::vector<std::string> names_of(MemoryFileSystem& files) {
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : *files.list("commitlog")) names.push_back(entry.name);
  return names;
}

class StoreRecycling : public testing::Test, public RecycledLog {
 protected:
  /// Opens what is left, and expects all of the model; epochs rise when the log may have been cut.
  void expect_all_after(PowerCut cut) {
    ASSERT_TRUE(store.reopen_after(cut));
    if (store.report().was_cut) store.model().raise_epochs();
    EXPECT_EQ(store.difference_to_model(), "");
    EXPECT_FALSE(store.report().has(Kind::kBadEntry));
    busy = store.named("busy");
  }
};

TEST_F(StoreRecycling, GoesOnInAFreedFileWithoutTakingSpaceOrWritingZeros) {
  const std::uint64_t allocated = store.files().calls(Operation::kAllocate);
  const auto before = names_of(store.files());
  for (int i = 0; i < 600; ++i) {
    append();
    if (i % 5 == 0) store.trim(busy, store.store().view(busy).end);
    store.settle();
  }
  EXPECT_TRUE(is_recycled(active_file()));
  EXPECT_EQ(store.files().calls(Operation::kAllocate), allocated);
  EXPECT_LE(names_of(store.files()).size(), before.size() + 1);
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST_F(StoreRecycling, StaleEntriesOfTheFilesEarlierLifeBehindTheTailAreNeverTaken) {
  end_at_an_old_entry();
  const LogPosition end_before = end();
  expect_all_after(kKilled);
  EXPECT_EQ(store.report().end, end_before);
  append();
  store.settle();
  expect_all_after(kKilled);
}

TEST_F(StoreRecycling, AStopThatCameTooSoonRaisesTheEpochsSinceNobodyKnowsWhetherSomethingWasLost) {
  append(1000, Durability::kWritten);
  store.write();
  ASSERT_TRUE(store.reopen_after(kUnsyncedLost));
  EXPECT_TRUE(store.report().was_cut);
  EXPECT_FALSE(store.report().has(Kind::kTornTail)) << "what was there before is not kept aside";
  EXPECT_TRUE(store.files().list("cut")->empty());
}

TEST_F(StoreRecycling, ACleanStopRaisesNoEpochAndLeavesNoPool) {
  ASSERT_TRUE(store.close_and_open());
  EXPECT_FALSE(store.report().was_cut);
  EXPECT_EQ(store.difference_to_model(), "");
  for (const std::string& name : names_of(store.files())) EXPECT_FALSE(is_pooled_file(name)) << name;
}

TEST_F(StoreRecycling, AStartRemovesWhatIsLeftOfThePool) {
  const std::string left = pooled_file_path(LogPosition{0});
  ASSERT_TRUE(store.files().open(left, {.mode = OpenMode::kCreate}).has_value());
  expect_all_after(kKilled);
  EXPECT_FALSE(store.files().open(left, {}).has_value());
}

TEST_F(StoreRecycling, ANewHeaderOverAnOldPayloadIsATornTail) {
  // The sectors behind the first of an entry hold what they held before.
  const std::string path = log_file_path(active_file());
  const auto at = static_cast<std::uint64_t>(end().value % kFileBytes);
  Bytes before(4096);
  {
    const auto file = store.files().open(path, {});
    ASSERT_EQ(*(*file)->read(at, before), before.size());
  }
  const LogPosition torn = end();
  append(1000, Durability::kWritten);
  store.write();
  const std::uint64_t kept = at + 88 + 512 - (at + 88) % 512;  // its header, and what shares a sector with it
  ASSERT_TRUE(store.files().damage(path, kept, ByteView(before).subspan(kept - at)).has_value());
  StoreModel::truncate(store.expected(busy), Offset{store.expected(busy).end.value - 2});
  expect_all_after(kKilled);
  EXPECT_EQ(store.report().end, torn);
  ASSERT_TRUE(store.report().has(Kind::kTornTail));
  EXPECT_FALSE(store.files().list("cut")->empty());
}

TEST_F(StoreRecycling, AFileThatIsReadFromTheLogIsServedAsItIsNow) {
  std::vector<Appended> appended;
  for (int i = 0; i < 400; ++i) {  // more than the tail keeps
    appended.push_back(append());
    store.settle();
  }
  for (const Appended& batch : appended) {
    const auto read = store.store().read(*store.store().plan_read(busy, {batch.base, batch.end, 1}));
    ASSERT_TRUE(read.has_value());
    ASSERT_EQ(read->batches.size(), 1U);
  }
  EXPECT_EQ(store.difference_to_model(), "");
}

TEST_F(StoreRecycling, WithoutADerivedFileAllIsFoundAgain) {
  ASSERT_TRUE(store.store().close().has_value());
  for (const char* const slot : {"checkpoint/0", "checkpoint/1"})
    static_cast<void>(store.files().remove_file(slot).has_value());
  ASSERT_TRUE(store.open());
  EXPECT_EQ(store.report().findings_count, 0);
  EXPECT_EQ(store.difference_to_model(), "");
}

}  // namespace
}  // namespace braid::storage
