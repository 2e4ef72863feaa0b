// Damage to files that are derived from the log: whatever it is, no wrong byte is served, and when the store has built
// anew what was damaged, nothing visible has changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "storage/commitlog/consume_queue_format.h"
#include "storage/commitlog/topic_directory.h"
#include "storage/env/split_mix.h"
#include "storage/errors.h"
#include "storage/small_store.h"
#include "storage/store_image.h"
#include "storage/test_seed.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using Kind = RecoveryFinding::Kind;

const StoreImage& image() {
  static const StoreImage made;
  return made;
}

/// `checks`: the open looks into queues itself, else it leaves that to upkeep.
std::unique_ptr<CommitLogStore> opened(MemoryFileSystem& files, bool checks = true) {
  CommitLogOptions options = small_store_options();
  if (!checks) options.queues_checked_at_open = 0;
  auto store = CommitLogStore::open(files, options, {});
  return store.has_value() ? *std::move(store) : nullptr;
}

/// Every file below a directory.
void add_files(MemoryFileSystem& files, const std::string& directory, std::vector<std::string>& paths) {
  for (const DirectoryEntry& entry : *files.list(directory)) {
    const std::string path = directory + "/" + entry.name;
    if (entry.kind == FileKind::kDirectory) {
      add_files(files, path, paths);
    } else {
      paths.push_back(path);
    }
  }
}

std::vector<std::string> derived_files() {
  std::vector<std::string> paths;
  const auto files = image().copy();
  add_files(*files, "checkpoint", paths);
  add_files(*files, "consumequeue", paths);
  return paths;
}

bool is_units(const std::string& path) {
  return path.starts_with("consumequeue/") && !path.ends_with(".times") && !path.ends_with("topic-id");
}

/// Which bytes of this file of units are still needed: [first, second).
std::pair<std::size_t, std::size_t> needed(const std::string& path) {
  const auto files = image().copy();
  const auto store = opened(*files);
  for (const auto& [id, partition] : store->state().partitions())
    if (path.starts_with("consumequeue/" + partition.identity->name + "/" +
                         std::to_string(partition.identity->queue.value) + "/"))
      return {static_cast<std::size_t>(partition.queue.begin().value) * kQueueUnitBytes,
              static_cast<std::size_t>(partition.queue.written_end().value) * kQueueUnitBytes};
  return {};
}

void upkeep(CommitLogStore& store) {
  while (std::unique_ptr<Chore> chore = store.next_chore({})) {
    chore->run();
    ASSERT_TRUE(store.finish(std::move(chore)).has_value());
    ASSERT_TRUE(store.write_out({}).has_value());
  }
}

/// Reads from every offset, short and long: what is served is right, and the only other answer is that it will be.
std::string reads_right_or_not_at_all(CommitLogStore& store) {
  for (const auto& [key, expected] : image().model().partitions) {
    const auto id = store.find(key.first, QueueId{key.second});
    if (!id) return expected.spec.name + " is missing";
    for (std::int64_t from = expected.start.value; from < expected.end.value; ++from) {
      const ReadRequest request{Offset{from}, expected.end, from % 50 == 20 ? SIZE_MAX : std::size_t{1}};
      const auto read = store.read(*store.plan_read(*id, request));
      const bool is_wrong = read.has_error() && read.error() != make_error_code(StorageErrc::corrupt) &&
                            read.error() != make_error_code(StorageErrc::not_yet);
      if (is_wrong) return read.error().message();
      if (read.has_error()) continue;
      const auto batches = StoreModel::read(expected, request);
      if (read->batches.empty() || read->batches.size() > batches.size()) return "other batches";
      for (std::size_t i = 0; i < read->batches.size(); ++i)
        if (!std::ranges::equal(read->batches[i], batches[i]->bytes))
          return expected.spec.name + " at " + std::to_string(from) + ": other bytes";
    }
  }
  return "";
}

/// Opens, reads, lets upkeep mend what was met: then all is as it was. "" if so. `found`: it was reported.
std::string heals(MemoryFileSystem& files, bool& found, bool checks = true) {
  const auto store = opened(files, checks);
  if (!store) return "does not open";
  const std::string wrong = reads_right_or_not_at_all(*store);
  if (!wrong.empty()) return wrong;
  upkeep(*store);
  found = store->report().findings_count > 0;
  return difference(*store, image().model());
}

TEST(StoreDerivedFiles, AnyUnitThatIsDamagedIsBuiltAnewFromTheLog) {
  SplitMix random(test_seed());
  std::size_t rounds = 0;
  std::size_t reported = 0;
  for (const std::string& path : derived_files()) {
    if (!is_units(path)) continue;
    const auto files = image().copy();
    const Bytes now = content_of(*files, path);
    const auto [begin, written] = needed(path);
    const std::size_t end = std::min(written, begin + 30 * kQueueUnitBytes);
    for (std::size_t at = begin; at < end; at += 1 + random.below(9)) {
      const auto again = files->after_cut({CutVariant::kKeepAll, 0});
      ASSERT_TRUE(again->damage(path, at, Bytes{now[at] ^ (std::byte{1} << random.below(8))}).has_value());
      bool found = false;
      ASSERT_EQ(heals(*again, found), "") << path << " byte " << at;
      ++rounds;
      reported += found ? 1 : 0;
    }
  }
  // A tag's hash is nothing that the log's reader can check; a unit within a batch is not needed to read it.
  EXPECT_GT(rounds, 100U);
  EXPECT_GT(reported, rounds / 5);
}

TEST(StoreDerivedFiles, ZeroedForeignAndDuplicatedUnitsAreBuiltAnew) {
  for (const std::string& path : derived_files()) {
    if (!is_units(path)) continue;
    const auto files = image().copy();
    const Bytes now = content_of(*files, path);
    const std::size_t piece = 10 * kQueueUnitBytes;
    const auto [begin, end] = needed(path);
    for (std::size_t at = begin; at + 3 * piece <= end; at += 2 * piece) {
      const auto other = now.begin() + static_cast<std::ptrdiff_t>(at + 2 * piece);
      for (const Bytes& instead :
           {Bytes(piece), Bytes(piece, std::byte{0x33}), Bytes(other, other + static_cast<std::ptrdiff_t>(piece))}) {
        const auto again = files->after_cut({CutVariant::kKeepAll, 0});
        ASSERT_TRUE(again->damage(path, at, instead).has_value());
        bool found = false;
        ASSERT_EQ(heals(*again, found), "") << path << " at " << at;
        EXPECT_TRUE(found) << path << " at " << at;
      }
    }
  }
}

TEST(StoreDerivedFiles, AFileCutShortIsBuiltAnew) {
  for (const std::string& path : derived_files()) {
    for (const std::uint64_t size : {0U, 1U, 19U, 64U, 100U, 207U, 400U}) {
      const auto files = image().copy();
      // A checkpoint without a byte was about to be made.
      if (content_of(*files, path).size() <= size || (size == 0 && path.starts_with("checkpoint"))) continue;
      ASSERT_TRUE((*files->open(path, {.mode = OpenMode::kWrite}))->truncate(size).has_value());
      bool found = false;
      ASSERT_EQ(heals(*files, found), "") << path << " of " << size << " bytes";
      EXPECT_TRUE(found || path.ends_with(".times")) << path << " of " << size << " bytes";
    }
  }
}

TEST(StoreDerivedFiles, AnyByteOfACheckpointSlotIsFoundAndTheOtherOneServes) {
  for (const char* const path : {"checkpoint/0", "checkpoint/1"}) {
    const auto files = image().copy();
    const Bytes now = content_of(*files, path);
    for (std::uint64_t at = 0; at < now.size(); at += at < 64 ? 1 : 7) {
      const auto again = files->after_cut({CutVariant::kKeepAll, 0});
      const Bytes byte{now[at] ^ (std::byte{1} << (at % 8))};
      ASSERT_TRUE(again->damage(path, at, byte).has_value());
      const auto store = opened(*again);
      ASSERT_NE(store, nullptr);
      upkeep(*store);  // the slot that was not needed is looked at later
      ASSERT_TRUE(store->report().has(Kind::kBadCheckpoint)) << path << " byte " << at;
      EXPECT_EQ(store->report().findings[0].path, path);
      ASSERT_EQ(difference(*store, image().model()), "") << path << " byte " << at;
    }
  }
}

TEST(StoreDerivedFiles, ATopicIdThatIsDamagedCostsNothing) {
  for (const std::string& path : derived_files()) {
    if (!path.ends_with("topic-id")) continue;
    for (std::uint64_t at = 0; at < 33; ++at) {
      const auto files = image().copy();
      ASSERT_TRUE(files->damage(path, at, Bytes{content_of(*files, path)[at] ^ std::byte{1}}).has_value());
      const auto store = opened(*files);
      ASSERT_NE(store, nullptr);
      EXPECT_TRUE(store->report().has(Kind::kBadQueue));
      upkeep(*store);
      ASSERT_EQ(difference(*store, image().model()), "") << path << " byte " << at;
    }
  }
}

TEST(StoreDerivedFiles, DamagedTimesChangeNoAnswer) {
  for (const std::string& path : derived_files()) {
    if (!path.ends_with(".times")) continue;
    const auto files = image().copy();
    ASSERT_TRUE(files->damage(path, 0, Bytes(content_of(*files, path).size(), std::byte{0x77})).has_value());
    bool found = false;
    ASSERT_EQ(heals(*files, found), "") << path;
  }
}

// Whichever of them are gone, each by itself and in every combination.
TEST(StoreDerivedFiles, AnySubsetMayBeDeleted) {
  const std::vector<std::string> paths = derived_files();
  ASSERT_LE(paths.size(), 16U);
  ASSERT_GE(paths.size(), 8U);
  const std::uint64_t seed = test_seed();
  SplitMix random(seed);
  const std::uint64_t subsets = std::uint64_t{1} << paths.size();
  // All of them in the long version, where there are thousands.
  const std::uint64_t one_in = std::max<std::uint64_t>(1, subsets / test_scale(600, subsets));
  std::uint64_t judged = 0;
  for (std::uint64_t subset = 1; subset < subsets; ++subset) {
    if (!random.chance(1, one_in)) continue;
    ++judged;
    const auto files = image().copy();
    for (std::size_t i = 0; i < paths.size(); ++i)
      if ((subset >> i & 1) != 0) {
        ASSERT_TRUE(files->remove_file(paths[i]).has_value());
      }
    const auto later = files->after_cut({CutVariant::kKeepAll, 0});
    const auto store = opened(*files);
    ASSERT_NE(store, nullptr);
    ASSERT_EQ(difference(*store, image().model()), "") << "BRAID_SEED=" << seed << ", subset " << subset;
    bool found = false;
    ASSERT_EQ(heals(*later, found, false), "") << "BRAID_SEED=" << seed << ", subset " << subset << ", found later";
  }
  print_count(judged, "subsets of derived files deleted");
}

// Of thousands of queues an open looks into a few: the others are mended while the store serves, by one look at the
// log.
TEST(StoreDerivedFiles, QueuesThatAnOpenDoesNotLookIntoAreFoundByUpkeepAndBuiltAnewTogether) {
  const auto files = image().copy();
  std::size_t damaged = 0;
  for (const std::string& path : derived_files()) {
    if (!is_units(path)) continue;
    ASSERT_TRUE((*files->open(path, {.mode = OpenMode::kWrite}))->truncate(0).has_value());
    ++damaged;
  }
  ASSERT_GE(damaged, 2U);
  const auto store = opened(*files, false);
  ASSERT_NE(store, nullptr);
  EXPECT_FALSE(store->report().has(Kind::kBadQueue));
  upkeep(*store);
  EXPECT_TRUE(store->report().has(Kind::kBadQueue));
  ASSERT_EQ(difference(*store, image().model()), "");
}

TEST(StoreDerivedFiles, WholeDirectoriesMayBeDeleted) {
  for (const char* const directory : {"checkpoint", "consumequeue", "consumequeue/a", "consumequeue/a/0", "cut"}) {
    const auto files = image().copy();
    ASSERT_TRUE(remove_tree(*files, directory).has_value());
    const auto store = opened(*files);
    ASSERT_NE(store, nullptr) << directory;
    ASSERT_EQ(difference(*store, image().model()), "") << directory;
  }
}

}  // namespace
}  // namespace braid::storage
