// A rebuild changes nothing that a reader sees, whatever derived files were there, and however it ends.
#include "storage/inspect/rebuild_shard.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/commitlog/topic_directory.h"
#include "storage/inspect/inspected_store.h"
#include "storage/inspect/verify_shard.h"

namespace braid::storage {
namespace {

InspectLines rebuild(FileSystem& files, const CommitLogOptions& options = small_store_options()) {
  InspectLines lines;
  rebuild_shard(files, options, InspectFormat::kText, {}, lines);
  return lines;
}

std::vector<std::string> damage_in(FileSystem& files) {
  InspectLines lines;
  verify_shard(files, "", InspectFormat::kText, lines);
  return lines.findings;
}

/// A store with a bit of everything: cut, trimmed and removed partitions, a topic made again, a freed file.
void live(InspectedStore& store) {
  store.fill(400);
  const PartitionId orders = store.named("orders");
  store.trim(orders, Offset{301});
  const PartitionId bills = store.named("bills");
  StoreModel::truncate(store.expected(bills), Offset{200});
  ASSERT_TRUE(store.store().truncate(bills, Offset{200}).has_value());
  store.append(bills);
  const PartitionId gone = store.create("gone");
  for (int i = 0; i < 40; ++i) store.append(gone);
  store.settle();
  const PartitionView view = store.store().view(gone);
  store.model().partitions.erase({view.topic, view.queue.value});
  ASSERT_TRUE(store.store().remove(gone).has_value());
  const PartitionId again = store.create("gone");
  store.append(again);
  store.settle();
}

/// The store over `files` shows what the model holds.
std::string difference_after_open(FileSystem& files, const StoreModel& model) {
  auto opened = CommitLogStore::open(files, small_store_options(), {});
  if (opened.has_error()) return "does not open: " + opened.error().message();
  return difference(**opened, model);
}

TEST(RebuildShard, ChangesNothingThatAReaderSees) {
  InspectedStore store;
  live(store);
  const std::unique_ptr<MemoryFileSystem> files = store.files().after_cut({.variant = CutVariant::kKeepAll});
  const InspectLines lines = rebuild(*files);
  EXPECT_EQ(lines.findings, std::vector<std::string>());
  EXPECT_TRUE(line_with(lines.rows, "rebuilt 3 queues with ")
                  .ends_with(" units, complete up to position " +
                             [&] {
                               const auto opened = CommitLogStore::open(*files, small_store_options(), {});
                               return std::to_string((*opened)->report().scanned_from.value);
                             }()))
      << lines.rows.front();
  EXPECT_EQ(difference_after_open(*files, store.model()), "");
  EXPECT_EQ(damage_in(*files), std::vector<std::string>());
}

TEST(RebuildShard, MakesUpForEveryDerivedFile) {
  InspectedStore store;
  live(store);
  ASSERT_TRUE(store.store().close().has_value());
  const std::unique_ptr<MemoryFileSystem> files = store.files().after_cut({.variant = CutVariant::kKeepAll});
  const auto scribble = [&](const std::string& path) {
    return files->damage(path, 0, *protocol::from_hex("0102030405")).has_value();
  };
  ASSERT_TRUE(scribble("checkpoint/0") && scribble("checkpoint/1"));
  ASSERT_TRUE(scribble("consumequeue/orders/0/00000000000000000000") && scribble("consumequeue/orders/topic-id"));
  ASSERT_TRUE(remove_tree(*files, "consumequeue/bills").has_value());
  ASSERT_TRUE(files->make_directory("consumequeue/ghost").has_value());
  rebuild(*files);
  EXPECT_EQ(damage_in(*files), std::vector<std::string>());
  EXPECT_FALSE(files->list("consumequeue/ghost").has_value()) << "what belongs to nobody goes too";
  EXPECT_EQ(difference_after_open(*files, store.model()), "");
}

TEST(RebuildShard, RebuildsTheSameUnitsByteForByte) {
  InspectedStore store;
  store.fill(400);
  ASSERT_TRUE(store.store().close().has_value());
  const std::unique_ptr<MemoryFileSystem> files = store.files().after_cut({.variant = CutVariant::kKeepAll});
  const auto bytes_of = [](FileSystem& in, const std::string& path, std::size_t count) {
    const auto file = in.open(path, {.mode = OpenMode::kRead});
    Bytes bytes(count);
    EXPECT_TRUE(file.has_value() && (*file)->read(0, bytes).has_value()) << path;
    return bytes;
  };
  rebuild(*files);
  const std::string queue = "consumequeue/orders/0/00000000000000000000";
  EXPECT_EQ(bytes_of(*files, queue, 532 * 20), bytes_of(store.files(), queue, 532 * 20)) << "tags too";
  const std::string times = "consumequeue/orders/0-00000000000000000000.times";
  EXPECT_EQ(bytes_of(*files, times, 24), bytes_of(store.files(), times, 24));
}

TEST(RebuildShard, CanBeKilledAtAnyCallAndRunAgain) {
  InspectedStore store;
  live(store);
  ASSERT_TRUE(store.store().close().has_value());
  const auto start = [&] { return store.files().after_cut({.variant = CutVariant::kKeepAll}); };
  const std::unique_ptr<MemoryFileSystem> whole = start();
  const std::uint64_t before = whole->changes();
  rebuild(*whole);
  const std::uint64_t changes = whole->changes() - before;
  ASSERT_GT(changes, 30U);
  for (std::uint64_t kill = 0; kill < changes; ++kill) {
    for (const CutVariant variant :
         {CutVariant::kKeepAll, CutVariant::kDropUnsynced, CutVariant::kRandomPages, CutVariant::kNamesLost}) {
      const std::unique_ptr<MemoryFileSystem> files = start();
      files->cut_power_after(kill);
      EXPECT_FALSE(rebuild(*files).findings.empty()) << "killed at " << kill;
      files->restart({.variant = variant, .seed = kill});
      const auto opened_at_once = files->after_cut({.variant = CutVariant::kKeepAll});
      ASSERT_EQ(difference_after_open(*opened_at_once, store.model()), "") << kill << " " << name_of(variant);
      EXPECT_EQ(rebuild(*files).findings, std::vector<std::string>()) << kill << " " << name_of(variant);
      ASSERT_EQ(difference_after_open(*files, store.model()), "") << kill << " " << name_of(variant);
    }
  }
}

TEST(RebuildShard, IsDurableWhenItIsDone) {
  InspectedStore store;
  live(store);
  ASSERT_TRUE(store.store().close().has_value());
  for (const CutVariant variant : kCutVariants) {
    const auto files = store.files().after_cut({.variant = CutVariant::kKeepAll});
    ASSERT_EQ(rebuild(*files).findings, std::vector<std::string>());
    files->restart({.variant = variant, .seed = 1});
    EXPECT_EQ(damage_in(*files), std::vector<std::string>()) << name_of(variant);
    EXPECT_EQ(difference_after_open(*files, store.model()), "") << name_of(variant);
  }
}

TEST(RebuildShard, LeavesNoDirectoryOfARemovedTopic) {
  InspectedStore store;
  store.fill(10);
  const PartitionId gone = store.create("gone");
  for (int i = 0; i < 60; ++i) store.append(gone);
  store.settle();
  ASSERT_TRUE(store.store().remove(gone).has_value());
  store.settle();
  ASSERT_TRUE(store.store().close().has_value());
  const auto files = store.files().after_cut({.variant = CutVariant::kKeepAll});
  EXPECT_EQ(rebuild(*files).findings, std::vector<std::string>());
  EXPECT_TRUE(is_missing(files->list("consumequeue/gone").error()))
      << "its units were written on the way, and go again";
}

TEST(RebuildShard, SaysOfEachFailedCallThatItFailed) {
  InspectedStore store;
  live(store);
  ASSERT_TRUE(store.store().close().has_value());
  const auto attempt = [&](const Fault& fault) {
    const auto files = store.files().after_cut({.variant = CutVariant::kKeepAll});
    files->plan(fault);
    const bool is_told = !rebuild(*files).findings.empty();
    files->clear_faults();
    const std::string call = std::string(name_of(*fault.operation)) + " " + std::to_string(fault.nth);
    EXPECT_TRUE(is_told || damage_in(*files).empty()) << call;
    EXPECT_EQ(difference_after_open(*files, store.model()), "") << call;
    return is_told;
  };
  for (const Operation call : {Operation::kWrite, Operation::kSync, Operation::kTruncate, Operation::kRemoveFile,
                               Operation::kRemoveDirectory, Operation::kSyncDirectory, Operation::kSyncAll}) {
    std::uint64_t told = 0;
    for (std::uint64_t nth = 1; nth < 100; ++nth) told += attempt({.operation = call, .nth = nth}) ? 1U : 0U;
    EXPECT_GT(told, 0U) << name_of(call);
    EXPECT_LT(told, 99U) << name_of(call) << ": there are more";
  }
  attempt({.operation = Operation::kWrite, .for_ever = true, .error = ENOSPC});
}

TEST(RebuildShard, RefusesADirectoryInUse) {
  InspectedStore store;
  store.fill(400);
  const std::uint64_t changes = store.files().changes();
  EXPECT_EQ(rebuild(store.files()).findings,
            std::vector<std::string>{"! in use: stop the broker first; nothing was changed"});
  EXPECT_EQ(store.files().changes(), changes + 1) << "the try to lock";
}

TEST(RebuildShard, RefusesWhereTagsCantBeDerived) {
  InspectedStore store;
  store.fill(400);
  const auto files = store.files().after_cut({.variant = CutVariant::kKeepAll});
  CommitLogOptions options = small_store_options();
  options.tags = {};
  EXPECT_EQ(rebuild(*files, options).findings,
            std::vector<std::string>{"! orders-0 has tags, which can't be derived here: nothing is rebuilt"});
  EXPECT_EQ(difference_after_open(*files, store.model()), "");
}

TEST(RebuildShard, RefusesWithoutAnIdentity) {
  InspectedStore store;
  store.fill(400);
  const auto files = store.files().after_cut({.variant = CutVariant::kKeepAll});
  ASSERT_TRUE(files->remove_file("identity").has_value());
  EXPECT_EQ(rebuild(*files).findings.size(), 1U);
  EXPECT_TRUE(files->open("checkpoint/0", {.mode = OpenMode::kRead}).has_value()) << "nothing is touched";
  MemoryFileSystem empty;
  EXPECT_EQ(rebuild(empty).findings.size(), 1U);
  EXPECT_TRUE(empty.list("")->empty()) << "no store is made";
}

TEST(RebuildShard, TellsWhatTheLogHasLost) {
  InspectedStore store;
  store.fill(400);
  ASSERT_TRUE(store.store().close().has_value());
  store.damage(kFirstLogFile, 7672 + 20, "ff");
  const auto files = store.files().after_cut({.variant = CutVariant::kKeepAll});
  const InspectLines lines = rebuild(*files);
  EXPECT_EQ(lines.findings,
            std::vector<std::string>{"! commitlog/00000000000000000000, position 7672: bad entry (656 bytes)"});
  EXPECT_NE(line_with(lines.rows, "rebuilt"), "") << "all else is served";
  EXPECT_NE(line_with(damage_in(*files), "orders-0, offset 6 to 7: the records are lost"), "");
}

}  // namespace
}  // namespace braid::storage
