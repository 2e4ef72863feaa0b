// The queue as its lane sees it; nothing here touches a file.
#include "storage/commitlog/consume_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "protocol/base/limits.h"
#include "storage/commitlog/consume_queue_format.h"

namespace braid::storage {
namespace {

constexpr LogPosition kAllSynced{INT64_MAX};

QueuedEntry entry_at(std::int64_t position, std::int64_t timestamp = 0) {
  return {.position = LogPosition{position}, .size_bytes = 200, .timestamp_max = timestamp};
}

/// Everything in memory that is synced is "written", without files.
void write_out(ConsumeQueue& queue) {
  QueueWrite write;
  while (queue.take(kAllSynced, write)) queue.written();
}

TEST(ConsumeQueue, AllRecordsOfABatchShareItsPlace) {
  ConsumeQueue queue;
  queue.append(entry_at(4096), 3);
  queue.append(entry_at(4296), 1);
  EXPECT_EQ(queue.end(), Offset{4});
  for (const std::int64_t offset : {0, 1, 2}) {
    const auto found = queue.find(Offset{offset});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->run.position, LogPosition{4096});
    EXPECT_EQ(found->run.size_bytes, 200);
    EXPECT_EQ(found->run.first, Offset{0});
    EXPECT_EQ(found->end, Offset{3}) << "a read goes on behind the batch";
  }
  EXPECT_EQ(queue.find(Offset{3})->run.position, LogPosition{4296});
  EXPECT_EQ(queue.find(Offset{3})->end, Offset{4});
}

TEST(ConsumeQueue, ABatchWithoutTagsIsOneRunHoweverManyRecordsItHas) {
  ConsumeQueue queue;
  for (std::int64_t i = 0; i < 4; ++i) queue.append(entry_at(4096 + 200 * i), 1'000'000);
  EXPECT_EQ(queue.end(), Offset{4'000'000});
  EXPECT_EQ(queue.run_count(), 4U);
  EXPECT_EQ(queue.memory_bytes(), 4 * sizeof(QueueRun));
}

TEST(ConsumeQueue, ATagsHashStandsAtItsOwnRecord) {
  ConsumeQueue queue(Offset{10});
  const std::array<std::int64_t, 5> hashes = {7, 7, 0, -3, 7};
  queue.append(entry_at(4096), hashes);
  EXPECT_EQ(queue.run_count(), 4U);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto found = queue.find(Offset{10 + static_cast<std::int64_t>(i)});
    EXPECT_EQ(found->run.tag_hash, hashes[i]) << i;
    EXPECT_EQ(found->run.position, LogPosition{4096}) << i;
  }
}

TEST(ConsumeQueue, OnlyWhatTheLogIsSyncedBeyondIsTaken) {
  ConsumeQueue queue;
  queue.append(entry_at(4096), 2);  // ends at 4296
  queue.append(entry_at(4296), 1);  // ends at 4496
  QueueWrite write;
  EXPECT_FALSE(queue.take(LogPosition{4295}, write));
  ASSERT_TRUE(queue.take(LogPosition{4296}, write));
  EXPECT_EQ(write.first, Offset{0});
  EXPECT_EQ(write.end, Offset{2});
  EXPECT_EQ(queue.written_end(), Offset{0}) << "not before it is written";
  EXPECT_TRUE(queue.find(Offset{0}).has_value());
  queue.written();
  EXPECT_EQ(queue.written_end(), Offset{2});
  EXPECT_FALSE(queue.find(Offset{1}).has_value()) << "the files have it";
  ASSERT_TRUE(queue.take(LogPosition{4496}, write));
  EXPECT_EQ(write.first, Offset{2});
  EXPECT_EQ(write.end, Offset{3});
}

TEST(ConsumeQueue, OneWriteOutIsBoundedAndTheNextGoesOnInsideTheBatch) {
  ConsumeQueue queue;
  constexpr std::int64_t kMax = protocol::kQueueWriteUnitsMax;
  queue.append(entry_at(4096), static_cast<std::int32_t>(kMax + 5));
  QueueWrite write;
  ASSERT_TRUE(queue.take(kAllSynced, write));
  EXPECT_EQ(write.end, Offset{kMax});
  queue.written();
  EXPECT_EQ(queue.find(Offset{kMax})->run.first, Offset{kMax});
  ASSERT_TRUE(queue.take(kAllSynced, write));
  EXPECT_EQ(write.first, Offset{kMax});
  EXPECT_EQ(write.end, Offset{kMax + 5});
  queue.written();
  EXPECT_FALSE(queue.take(kAllSynced, write));
}

TEST(ConsumeQueue, WhatAFullDiskGaveBackIsTakenAgain) {
  ConsumeQueue queue;
  queue.append(entry_at(4096), 2);
  QueueWrite write;
  ASSERT_TRUE(queue.take(kAllSynced, write));
  queue.give_back();
  EXPECT_EQ(queue.written_end(), Offset{0});
  queue.append(entry_at(4296), 1);
  ASSERT_TRUE(queue.take(kAllSynced, write));
  EXPECT_EQ(write.first, Offset{0});
  EXPECT_EQ(write.end, Offset{3});
}

TEST(ConsumeQueue, WhatIsAppendedDuringAWriteOutStaysInMemory) {
  ConsumeQueue queue;
  queue.append(entry_at(4096), 2);
  QueueWrite write;
  ASSERT_TRUE(queue.take(kAllSynced, write));
  queue.append(entry_at(4296), 1);
  queue.written();
  EXPECT_EQ(queue.written_end(), Offset{2});
  EXPECT_EQ(queue.find(Offset{2})->run.position, LogPosition{4296});
}

TEST(ConsumeQueue, ACutDuringAWriteOutIsNotUndoneByIt) {
  ConsumeQueue queue;
  queue.append(entry_at(4096), 10);
  QueueWrite write;
  ASSERT_TRUE(queue.take(kAllSynced, write));
  queue.truncate(Offset{4});
  queue.append(entry_at(8000), 6);  // other records under the old offsets
  queue.written();
  EXPECT_EQ(queue.written_end(), Offset{4}) << "the files hold the old units from 4 on";
  EXPECT_EQ(queue.find(Offset{4})->run.position, LogPosition{8000});
  ASSERT_TRUE(queue.take(kAllSynced, write));
  EXPECT_EQ(write.first, Offset{4});
}

TEST(ConsumeQueue, ACutBelowTheWrittenUnitsForgetsThem) {
  ConsumeQueue queue;
  queue.append(entry_at(4096), 10);
  write_out(queue);
  queue.truncate(Offset{4});
  EXPECT_EQ(queue.end(), Offset{4});
  EXPECT_EQ(queue.written_end(), Offset{4});
  queue.append(entry_at(8000), 1);
  EXPECT_EQ(queue.find(Offset{4})->run.position, LogPosition{8000});
  EXPECT_FALSE(queue.find(Offset{3}).has_value());
}

TEST(ConsumeQueue, ATrimBeyondWhatIsWrittenDropsItFromMemory) {
  ConsumeQueue queue;
  queue.append(entry_at(4096), 10);
  queue.append(entry_at(4296), 10);
  queue.trim(Offset{15});
  EXPECT_EQ(queue.begin(), Offset{15});
  EXPECT_EQ(queue.written_end(), Offset{15});
  EXPECT_EQ(queue.run_count(), 1U);
  EXPECT_EQ(queue.find(Offset{15})->run.position, LogPosition{4296});
  EXPECT_DEATH(static_cast<void>(queue.find(Offset{14})), "holds the offset");
  queue.trim(Offset{20});
  EXPECT_EQ(queue.run_count(), 0U);
}

TEST(ConsumeQueue, ATrimOrResetDuringAWriteOutOutlivesIt) {
  ConsumeQueue queue;
  queue.append(entry_at(4096), 10);
  QueueWrite write;
  ASSERT_TRUE(queue.take(kAllSynced, write));
  queue.append(entry_at(4296), 10);
  queue.trim(Offset{15});
  queue.written();
  EXPECT_EQ(queue.written_end(), Offset{15});

  ASSERT_TRUE(queue.take(kAllSynced, write));
  queue.reset(Offset{17});
  queue.append(entry_at(8000), 5);
  queue.written();
  EXPECT_EQ(queue.begin(), Offset{17});
  EXPECT_EQ(queue.written_end(), Offset{17});
  EXPECT_EQ(queue.find(Offset{17})->run.position, LogPosition{8000});
}

TEST(ConsumeQueue, LostRecordsAreUnitsOfZeros) {
  ConsumeQueue queue;
  queue.append(entry_at(4096), 1);
  queue.append_lost(3);
  queue.append(entry_at(8192), 1);
  EXPECT_EQ(queue.end(), Offset{5});
  const auto lost = queue.find(Offset{2});
  EXPECT_EQ(lost->run.position, LogPosition{0});
  EXPECT_EQ(lost->run.size_bytes, 0);
  EXPECT_EQ(lost->end, Offset{4});
  EXPECT_EQ(queue.find(Offset{4})->run.position, LogPosition{8192});
}

TEST(ConsumeQueue, FindsTimesAmongWhatIsInMemory) {
  ConsumeQueue queue(Offset{100});
  queue.append(entry_at(4096, 50), 10);
  queue.append(entry_at(4296, 30), 10);
  queue.append(entry_at(4496, 70), 10);
  EXPECT_EQ(queue.find_time(40, Offset{100}), Offset{100});
  EXPECT_EQ(queue.find_time(50, Offset{105}), Offset{105}) << "inside the batch";
  EXPECT_EQ(queue.find_time(50, Offset{110}), Offset{120});
  EXPECT_EQ(queue.find_time(51, Offset{100}), Offset{120});
  EXPECT_EQ(queue.find_time(71, Offset{100}), std::nullopt);
  EXPECT_EQ(queue.find_time(0, Offset{130}), std::nullopt) << "the end";
  write_out(queue);
  EXPECT_EQ(queue.find_time(0, Offset{100}), std::nullopt) << "nothing is in memory";
}

TEST(ConsumeQueue, KnowsTheGreatestTimestampOfThePageThatItContinues) {
  ConsumeQueue queue;
  QueueWrite write;
  queue.append(entry_at(4096, 90), 50);
  queue.append(entry_at(4296, 20), 30);
  write_out(queue);
  queue.append(entry_at(4496, 40), 20);
  ASSERT_TRUE(queue.take(kAllSynced, write));
  EXPECT_EQ(write.page_timestamp, 90);
  queue.written();
  queue.append(entry_at(4696, 10), kQueuePageUnits);
  write_out(queue);  // ends 100 units inside the second page
  queue.append(entry_at(4896, 5), 1);
  ASSERT_TRUE(queue.take(kAllSynced, write));
  EXPECT_EQ(write.page_timestamp, 10) << "the first page's 90 is left behind";
  queue.give_back();
  queue.truncate(Offset{250});
  queue.append(entry_at(4896, 5), 1);
  ASSERT_TRUE(queue.take(kAllSynced, write));
  EXPECT_EQ(write.page_timestamp, kUnknownTimestamp) << "what is left after the cut is not known";
}

TEST(ConsumeQueue, BeginsAgainWhereTheCheckpointSays) {
  ConsumeQueue queue = ConsumeQueue::restored(Offset{5}, Offset{450});
  EXPECT_EQ(queue.begin(), Offset{5});
  EXPECT_EQ(queue.end(), Offset{450});
  EXPECT_EQ(queue.written_end(), Offset{450});
  EXPECT_FALSE(queue.find(Offset{449}).has_value());
  queue.append(entry_at(4096), 1);
  QueueWrite write;
  ASSERT_TRUE(queue.take(kAllSynced, write));
  EXPECT_EQ(write.first, Offset{450});
  EXPECT_EQ(write.page_timestamp, kUnknownTimestamp);
}

TEST(ConsumeQueue, ThatIsWrittenOutCostsNothingBesidesItself) {
  ConsumeQueue queue;
  for (int i = 0; i < 100; ++i) queue.append(entry_at(4096 + 200 * i), 10);
  EXPECT_GT(queue.memory_bytes(), 0U);
  write_out(queue);
  queue.release();
  EXPECT_EQ(queue.memory_bytes(), 0U);
  EXPECT_LE(sizeof(ConsumeQueue), 72U);
  EXPECT_EQ(sizeof(QueueRun), 40U);
}

TEST(ConsumeQueue, StopsOnWhatOnlyABugCanAsk) {
  ConsumeQueue queue;
  QueueWrite write;
  EXPECT_DEATH(queue.written(), "something was taken");
  EXPECT_DEATH(queue.give_back(), "something was taken");
  EXPECT_DEATH(queue.append(entry_at(4096), 0), "grows within its range");
  EXPECT_DEATH(queue.append({.position = LogPosition{8}, .size_bytes = 0}, 1), "lies in the log");
  EXPECT_DEATH(static_cast<void>(queue.find(Offset{0})), "holds the offset");
  EXPECT_DEATH(queue.truncate(Offset{1}), "cut within itself");
  EXPECT_DEATH(queue.trim(Offset{1}), "trimmed within itself");
  queue.append(entry_at(4096), 2);
  EXPECT_DEATH(queue.append(entry_at(4095), 1), "log order");
  ASSERT_TRUE(queue.take(kAllSynced, write));
  EXPECT_DEATH(queue.take(kAllSynced, write), "one write-out at a time");
  EXPECT_DEATH(ConsumeQueue(Offset{kQueueOffsetEnd}).append(entry_at(4096), 1), "grows within its range");
}

}  // namespace
}  // namespace braid::storage
