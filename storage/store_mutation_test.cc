// The controls of the storage tests: a store with a known fault, and the judge that must notice it. Each judge finds
// nothing wrong with the store as it is.
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "storage/commitlog/topic_directory.h"
#include "storage/crash_judge.h"
#include "storage/env/memory_file_system.h"
#include "storage/env/passing_file_system.h"
#include "storage/errors.h"
#include "storage/mutants.h"
#include "storage/recycled_log.h"
#include "storage/store_image.h"
#include "storage/test_store.h"

namespace braid::storage {
namespace {

class SwitchedOn {
 public:
  explicit SwitchedOn(Mutant mutant) { switch_on(mutant); }
  ~SwitchedOn() { switch_on(Mutant::kNone); }
  SwitchedOn(const SwitchedOn&) = delete;
  SwitchedOn& operator=(const SwitchedOn&) = delete;
};

/// Power cuts at every call of short runs, or at some of long ones in which queues and checkpoints are written; "" or
/// what is wrong with one of them.
std::string power_cuts(CrashJudge::Options options, std::uint64_t runs, bool long_runs = false) {
  for (std::uint64_t run = 0; run < runs; ++run) {
    options.seed = 1000 + run;
    options.operations = long_runs ? 500 : 60;
    options.every_variant = !long_runs;
    options.one_in = long_runs ? 5 : 1;
    options.cut_recovery = false;
    CrashJudge judge(options);
    std::string found = judge.run();
    if (!found.empty()) return found;
  }
  return "";
}

constexpr std::uint64_t kRuns = 60;  // at most: the first that notices ends it

TEST(StoreMutation, PowerCutsFindNothingWrongWithTheStoreAsItIs) {
  EXPECT_EQ(power_cuts({}, 2), "");
  EXPECT_EQ(power_cuts({}, 2, true), "");
}

TEST(StoreMutation, NoticesThatSyncIsSkipped) { EXPECT_NE(power_cuts({.lies = {.sync = true}}, kRuns), ""); }

TEST(StoreMutation, NoticesThatTheDirectorySyncIsForgotten) {
  EXPECT_NE(power_cuts({.lies = {.sync_directory = true}}, kRuns), "");
}

TEST(StoreMutation, NoticesAnAcknowledgementBeforeTheSync) {
  EXPECT_NE(power_cuts({.acknowledge_early = true}, kRuns), "");
}

TEST(StoreMutation, NoticesThatACheckpointIsTakenBeforeTheQueuesAreSynced) {
  EXPECT_NE(power_cuts({.lies = {.sync_all = true}}, kRuns, true), "");
}

TEST(StoreMutation, NoticesThatRecoveryStartsAtTheNewestPosition) {
  const SwitchedOn mutant(Mutant::kCheckpointTooNew);
  EXPECT_NE(power_cuts({}, kRuns, true), "");
}

/// Damages one batch of a store that has lived. What is served of it; the mutant may be on while it opens or is read.
std::string damaged_batch(Mutant while_open, Mutant while_read) {
  static const StoreImage image;
  const auto batch = std::ranges::find_if(image.entries(), [](const StoreImage::Entry& entry) {
    const auto living = image.model().partitions.find({entry.header.topic, entry.header.queue.value});
    return entry.header.type == EntryType::kBatch && living != image.model().partitions.end() &&
           entry.header.base >= living->second.start;
  });
  const StoreImage::Entry& entry = *batch;
  const auto files = image.copy();
  EXPECT_TRUE(files->damage(entry.path, entry.at + 160, Bytes(8, std::byte{0x5a})).has_value());
  CommitLogOptions options = small_store_options();
  options.from_log_only = true;
  switch_on(while_open);
  const auto store = CommitLogStore::open(*files, options, {});
  switch_on(while_read);
  std::string found;
  if (!(*store)->report().has(RecoveryFinding::Kind::kBadEntry)) found += "not reported ";
  const auto id = (*store)->find(entry.header.topic, entry.header.queue);
  const Offset end{entry.header.base.value + entry.header.count};
  const auto plan = (*store)->plan_read(*id, {entry.header.base, end, 1});
  if (plan.has_value() && (*store)->read(*plan).has_value()) found += "served";
  switch_on(Mutant::kNone);
  return found;
}

TEST(StoreMutation, NoticesThatTheCrcIsNotCheckedInRecovery) {
  EXPECT_EQ(damaged_batch(Mutant::kNone, Mutant::kNone), "");
  EXPECT_EQ(damaged_batch(Mutant::kNoPayloadCheck, Mutant::kNone), "not reported ");
}

TEST(StoreMutation, NoticesThatAColdBatchIsServedUnchecked) {
  EXPECT_EQ(damaged_batch(Mutant::kNone, Mutant::kNoPayloadCheck), "served");
}

/// Old entries lie behind the end again after a cut; "" if none of them is taken.
std::string earlier_life() {
  TestStore store;
  const PartitionId id = store.create("a");
  store.append(id);
  store.settle();
  const LogPosition end = store.store().progress().synced;
  store.append(id, 500, Durability::kWritten);
  store.append(id, 500, Durability::kWritten);
  store.write();
  const std::string path = "commitlog/00000000000000000000";
  const auto behind = static_cast<std::uint64_t>(end.value);
  // Where the incarnation entry will be, there is one that ends where the old second batch begins.
  const Bytes earlier = content_of(store.files(), path);
  const auto second = behind + static_cast<std::uint64_t>(entry_size(500 + 61));
  EXPECT_TRUE(store.reopen_after({CutVariant::kDropUnsynced, 0}));
  const std::int64_t gap = static_cast<std::int64_t>(second - behind) - 88;
  store.append(store.named("a"), static_cast<std::size_t>(gap - 88 - 61));
  store.settle();
  if (store.store().progress().synced.value != static_cast<std::int64_t>(second)) return "the test is wrong";
  EXPECT_TRUE(store.files().damage(path, second, ByteView(earlier).subspan(second, 700)).has_value());
  EXPECT_TRUE(store.reopen_after({CutVariant::kKeepAll, 0}));
  return store.store().view(store.named("a")).end == Offset{4} ? "" : "an entry of an earlier life is taken";
}

TEST(StoreMutation, NoticesThatTheIncarnationIsKeptAfterACut) {
  EXPECT_EQ(earlier_life(), "");
  const SwitchedOn mutant(Mutant::kSameIncarnation);
  EXPECT_NE(earlier_life(), "");
}

/// Frees files, deletes all that is derived, and compares what comes back.
std::string freed_and_rebuilt() {
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
  if (store.files().list("commitlog")->size() > 3) return "nothing was freed";
  EXPECT_TRUE(store.store().close().has_value());
  for (const char* const derived : {"checkpoint", "consumequeue"})
    EXPECT_TRUE(remove_tree(store.files(), derived).has_value());
  return store.open() ? store.difference_to_model() : "does not open";
}

TEST(StoreMutation, NoticesThatAFileIsFreedWithEntriesThatAreStillNeeded) {
  EXPECT_EQ(freed_and_rebuilt(), "");
  const SwitchedOn mutant(Mutant::kEmptySnapshot);
  EXPECT_NE(freed_and_rebuilt(), "");
}

/// Kills a store whose log ends, in a file that was used before, where an old entry begins; "" if that is not taken.
std::string old_entries_of_a_recycled_file(Mutant mutant) {
  RecycledLog log;
  log.end_at_an_old_entry();
  const SwitchedOn on(mutant);
  EXPECT_TRUE(log.store.reopen_after({CutVariant::kKeepAll, 0}));
  if (log.store.report().was_cut) log.store.model().raise_epochs();
  return log.store.difference_to_model();
}

TEST(StoreMutation, NoticesThatAnEntryIsTakenWhereverItLies) {
  EXPECT_EQ(old_entries_of_a_recycled_file(Mutant::kNone), "");
  EXPECT_NE(old_entries_of_a_recycled_file(Mutant::kAnyPosition), "");
}

TEST(StoreMutation, NoticesThatARecycledFilesNameIsNotSynced) {
  const auto cuts = [](Lies lies) {
    for (std::uint64_t run = 0; run < 10; ++run) {
      CrashJudge judge({.seed = 7000 + run,
                        .operations = 1500,
                        .every_variant = true,
                        .one_in = 4,
                        .cut_recovery = false,
                        .only_near_recycling = true,
                        .lies = lies});
      std::string found = judge.run();
      if (!found.empty()) return found;
    }
    return std::string();
  };
  EXPECT_NE(cuts({.sync_directory = true}), "");
}

/// A file system that tries a failed sync once more, and believes what it then says.
class RetryingFileSystem final : public PassingFileSystem {
 public:
  using PassingFileSystem::PassingFileSystem;

  Result<std::unique_ptr<File>> open(std::string_view path, OpenOptions options) override {
    TRY(std::unique_ptr<File> file, PassingFileSystem::open(path, options));
    return std::unique_ptr<File>(std::make_unique<RetryingFile>(std::move(file)));
  }

 private:
  class RetryingFile final : public PassingFile {
   public:
    using PassingFile::PassingFile;
    Result<void> sync() override {
      const Result<void> first = PassingFile::sync();
      return first.has_error() ? PassingFile::sync() : first;
    }
  };
};

/// Appends until a sync fails once, goes on if the store lets it, and cuts the power. What of it is wrong.
std::string sync_fails_once(bool retries, std::uint64_t nth) {
  MemoryFileSystem disk;
  RetryingFileSystem retrying(disk);
  FileSystem& files = retries ? static_cast<FileSystem&>(retrying) : disk;
  auto opened = CommitLogStore::open(files, small_store_options(), {});
  disk.plan({.operation = Operation::kSync, .path_prefix = "commitlog", .nth = nth});
  const auto created = (*opened)->create(
      {.topic = protocol::uuid_from_halves(1, 1), .name = "a", .queue = QueueId{0}, .start = {}, .indexing = 1});
  for (int i = 0; i < 12; ++i) {
    const Bytes batch = make_batch({.count = 1, .body_bytes = 5000, .seed = 1});
    auto room = (*opened)->reserve((*opened)->entry_bytes(batch.size()), Purpose::kProduce);
    if (room.has_error()) break;
    (*opened)->append(created->partition,
                      {.bytes = batch, .epoch = LeaderEpoch{0}, .tag_hashes = {}, .durability = {}, .now = {}}, *room);
    static_cast<void>((*opened)->write_out({}).has_value());
  }
  const LogPosition acknowledged = (*opened)->progress().synced;
  opened->reset();
  disk.restart({CutVariant::kDropUnsynced, 0});
  const auto again = CommitLogStore::open(disk, small_store_options(), {});
  if (again.has_error()) return "does not open";
  return (*again)->report().end < acknowledged || (*again)->report().has(RecoveryFinding::Kind::kBadEntry)
             ? "what was acknowledged is lost"
             : "";
}

TEST(StoreMutation, NoticesThatAFailedSyncIsTriedAgain) {
  bool noticed = false;
  for (std::uint64_t nth = 1; nth < 10; ++nth) {
    EXPECT_EQ(sync_fails_once(false, nth), "") << nth;
    noticed = noticed || !sync_fails_once(true, nth).empty();
  }
  EXPECT_TRUE(noticed);
}

}  // namespace
}  // namespace braid::storage
