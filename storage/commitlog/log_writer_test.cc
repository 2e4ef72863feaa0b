// Tail, writer and room together over a file system in memory: what reaches the disk, when, and what happens when it
// can't.
#include "storage/commitlog/log_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "storage/commitlog/block_preparation.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/log_room.h"
#include "storage/env/memory_file_system.h"
#include "storage/errors.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using protocol::Instant;
using std::chrono::milliseconds;

constexpr std::uint32_t kSeed = 9;
constexpr LogGeometry kGeometry{65536};

class Writing : public testing::Test {
 protected:
  Writing() {
    EXPECT_TRUE(files_.make_directory("commitlog").has_value());
    LogPosition prepared{0};
    for (int file = 0; file < 3; ++file) {
      const BlockPreparation all = next_preparation(kGeometry, prepared, kGeometry.file_bytes, {}, kSeed);
      EXPECT_TRUE(prepare_blocks(files_, all).has_value());
      prepared = all.end;
    }
    EXPECT_TRUE(tail_.start(LogPosition{4096}, {}).has_value());
    writer_ = *LogWriter::create(files_, tail_, progress_, {kGeometry, kSeed, {milliseconds{500}, 30'000}});
  }

  /// An entry of `size` bytes that fits into its file; where it begins.
  LogPosition append(std::int64_t size, bool wants_sync = true) {
    EXPECT_TRUE(tail_.make_room(size, progress_.written()).has_value());
    LogPosition at = kGeometry.entry_after(tail_.end());
    if (!kGeometry.fits(at, size)) {
      EntryHeader filler{.size_bytes = static_cast<std::int32_t>(kGeometry.next_file(at).value - at.value),
                         .position = at};
      tail_.append(encode(filler, kSeed));
      tail_.end_file();
      at = kGeometry.entry_after(tail_.end());
    }
    Bytes entry(static_cast<std::size_t>(size), std::byte{static_cast<unsigned char>(++count_)});
    const EntryHeader header{
        .size_bytes = static_cast<std::int32_t>(size), .type = EntryType::kSyncMark, .position = at};
    std::ranges::copy(encode(header, kSeed), entry.begin());
    tail_.append(entry);
    progress_.publish(tail_.end(), wants_sync);
    return at;
  }

  ReadHeader on_disk(LogPosition at) {
    Bytes bytes(kEntryHeaderBytes);
    const auto file = files_.open(log_file_path(kGeometry.file_of(at)), {});
    EXPECT_TRUE((*file)->read(static_cast<std::uint64_t>(kGeometry.place_in_file(at)), bytes).has_value());
    return read_header(bytes, kSeed, at);
  }

  Step step(std::int64_t now_ms = 0) {
    const auto stepped = writer_->step(Instant(milliseconds(now_ms)));
    EXPECT_TRUE(stepped.has_value());
    return stepped.has_value() ? *stepped : Step::kIdle;
  }

  MemoryFileSystem files_;
  Tail tail_{kGeometry, {.slab_bytes = 8192, .bytes_max = 24576}};
  LogProgress progress_{LogPosition{4096}};
  std::unique_ptr<LogWriter> writer_;
  int count_ = 0;
};

TEST_F(Writing, DoesNothingWithoutAnEntry) { EXPECT_EQ(step(), Step::kIdle); }

TEST_F(Writing, TakesAllThatGatheredInOneWriteAndOneSync) {
  for (int i = 0; i < 10; ++i) append(1000);
  const auto writes = files_.calls(Operation::kWrite);
  const auto syncs = files_.calls(Operation::kSync);
  EXPECT_EQ(step(), Step::kWorked);
  EXPECT_EQ(files_.calls(Operation::kWrite), writes + 1);
  EXPECT_EQ(files_.calls(Operation::kSync), syncs + 1);
  EXPECT_EQ(progress_.synced(), tail_.end());
  EXPECT_EQ(step(), Step::kIdle);
}

TEST_F(Writing, StampsTheFirstEntryOfAGroupWithTheSyncedPosition) {
  append(1000);
  step();
  const LogPosition synced = progress_.synced();
  const LogPosition first = append(1000);
  const LogPosition second = append(1000);
  step();
  EXPECT_EQ(on_disk(first).header.synced, synced);
  EXPECT_EQ(on_disk(second).fault, HeaderFault::kNone);
  EXPECT_EQ(on_disk(second).header.synced, std::nullopt);
}

TEST_F(Writing, WritesThePartialBlockAgainWithTheSameBytesBefore) {
  const LogPosition first = append(1000);
  step();
  const LogPosition second = append(1000);
  step();
  EXPECT_EQ(on_disk(first).fault, HeaderFault::kNone);
  EXPECT_EQ(on_disk(second).fault, HeaderFault::kNone);
}

TEST_F(Writing, LeavesAFileOnlySyncedAndGoesOnBehindTheNextSuperblock) {
  std::vector<LogPosition> entries;
  for (int i = 0; i < 30; ++i) entries.push_back(append(5000, false));
  while (step() == Step::kWorked) EXPECT_LE(progress_.synced(), progress_.written());
  for (const LogPosition at : entries) EXPECT_EQ(on_disk(at).fault, HeaderFault::kNone) << at.value;
  EXPECT_GE(progress_.synced().value, kGeometry.file_of(tail_.end()).value);
  EXPECT_EQ(progress_.written(), tail_.end());
}

TEST_F(Writing, EndsAFileExactlyWithoutAFiller) {
  append(kGeometry.entry_bytes_max());
  EXPECT_EQ(tail_.end(), LogPosition{65536});
  step();
  EXPECT_EQ(progress_.synced(), LogPosition{65536});
  EXPECT_EQ(append(1000), LogPosition{65536 + 4096});
  step();
  EXPECT_EQ(on_disk(LogPosition{65536 + 4096}).fault, HeaderFault::kNone);
}

TEST_F(Writing, SyncsByTimeOrBytesWhenNobodyAsks) {
  append(1000, false);
  EXPECT_EQ(step(0), Step::kWorked);
  EXPECT_EQ(step(499), Step::kIdle);
  EXPECT_EQ(*writer_->next_sync(), Instant(milliseconds(500)));
  EXPECT_EQ(step(500), Step::kWorked);
  EXPECT_EQ(progress_.synced(), progress_.written());
  append(30'000, false);
  step(501);
  EXPECT_EQ(progress_.synced(), progress_.written());
}

TEST_F(Writing, SyncsWhenAsked) {
  append(1000, false);
  step(0);
  progress_.want_sync();
  EXPECT_EQ(step(1), Step::kWorked);
  EXPECT_EQ(progress_.synced(), tail_.end());
}

TEST_F(Writing, StopsForEverAfterAFailedSyncOrWrite) {
  for (const Operation operation : {Operation::kSync, Operation::kWrite}) {
    LogProgress progress(LogPosition{4096});
    Tail tail(kGeometry, {.slab_bytes = 8192, .bytes_max = 24576});
    ASSERT_TRUE(tail.start(LogPosition{4096}, {}).has_value());
    const auto writer = *LogWriter::create(files_, tail, progress, {kGeometry, kSeed, {}});
    ASSERT_TRUE(tail.make_room(kEntryHeaderBytes, progress.written()).has_value());
    tail.append(encode({.size_bytes = kEntryHeaderBytes, .position = LogPosition{4096}}, kSeed));
    progress.publish(tail.end(), true);
    files_.plan({.operation = operation});
    EXPECT_TRUE(writer->step({}).has_error());
    EXPECT_EQ(progress.synced(), LogPosition{4096});
    EXPECT_EQ(writer->step({}).error(), make_error_code(StorageErrc::failed));
    EXPECT_TRUE(progress.snapshot().failed);
  }
}

TEST_F(Writing, KeepsWrittenSlabsForReadersUpToItsBound) {
  std::vector<LogPosition> entries;
  for (int i = 0; i < 12; ++i) {
    entries.push_back(append(5000));
    step();
  }
  EXPECT_LE(tail_.slab_count(), 4U);
  Bytes bytes(kEntryHeaderBytes);
  EXPECT_FALSE(tail_.copy(entries.front(), bytes));
  ASSERT_TRUE(tail_.copy(entries.back(), bytes));
  EXPECT_EQ(read_header(bytes, kSeed, entries.back()).fault, HeaderFault::kNone);
}

TEST(LogRoom, GrantsWhatFitsIntoPreparedBlocksAndTheTail) {
  LogRoom room({kGeometry, 20'000, 1000}, LogPosition{4096});
  EXPECT_EQ(room.reserve(100, Purpose::kProduce).error(), make_error_code(StorageErrc::not_yet));
  EXPECT_GT(room.wanted_bytes(), 100);
  room.prepared(LogPosition{4096 + 12'000});
  {
    auto held = room.reserve(10'000, Purpose::kProduce);
    ASSERT_TRUE(held.has_value());
    EXPECT_TRUE(room.reserve(1000, Purpose::kProduce).has_error());
    EXPECT_TRUE(room.reserve(1000, Purpose::kEssential).has_value());
  }
  EXPECT_TRUE(room.reserve(10'000, Purpose::kProduce).has_value());
  room.disk_full(true);
  EXPECT_EQ(room.reserve(30'000, Purpose::kProduce).error(), make_error_code(StorageErrc::disk_full));
  EXPECT_EQ(room.reserve(std::int64_t{1} << 40, Purpose::kProduce).error(), make_error_code(StorageErrc::too_large));
}

TEST(LogRoom, RemembersWhatItRefusedUntilTheBlocksSuffice) {
  LogRoom room({kGeometry, 20'000, 1000}, LogPosition{4096});
  EXPECT_TRUE(room.reserve(10'000, Purpose::kProduce).has_error());
  const std::int64_t wanted = room.wanted_bytes();
  EXPECT_GT(wanted, 11'000);
  room.prepared(LogPosition{8192});
  EXPECT_EQ(room.wanted_bytes(), wanted) << "a piece of it";
  room.prepared(LogPosition{4096 + wanted});
  EXPECT_EQ(room.wanted_bytes(), 0);
  EXPECT_TRUE(room.reserve(10'000, Purpose::kProduce).has_value());
}

TEST(LogRoom, CountsOnlyWhatFitsAfterAFileEnd) {
  LogRoom room({kGeometry, 1 << 20, 0}, LogPosition{60'000});
  room.prepared(LogPosition{65536});
  EXPECT_TRUE(room.reserve(5000, Purpose::kProduce).has_value());
  EXPECT_TRUE(room.reserve(6000, Purpose::kProduce).has_error());
  room.prepared(LogPosition{65536 + 4096 + 7000});
  EXPECT_TRUE(room.reserve(6000, Purpose::kProduce).has_value());
}

TEST(LogRoom, WaitsForTheWriterUnlessTheTailIsEmpty) {
  LogRoom room({kGeometry, 10'000, 0}, LogPosition{4096});
  room.prepared(LogPosition{65536});
  {
    auto large = room.reserve(20'000, Purpose::kProduce);
    ASSERT_TRUE(large.has_value());
    large->spend(20'000);
    room.appended(LogPosition{24'096});
  }
  EXPECT_EQ(room.reserve(100, Purpose::kProduce).error(), make_error_code(StorageErrc::not_yet));
  room.written(LogPosition{24'096});
  EXPECT_TRUE(room.reserve(100, Purpose::kProduce).has_value());
}

}  // namespace
}  // namespace braid::storage
