// The files of the queues, on a disk in memory: exact bytes, boundaries, what is stale, missing or damaged.
#include "storage/commitlog/consume_queue_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/system/errc.hpp>
#include <string>
#include <vector>

#include "protocol/base/hex.h"
#include "storage/env/file_text.h"
#include "storage/env/memory_file_system.h"
#include "storage/errors.h"

namespace braid::storage {
namespace {

constexpr LogPosition kAllSynced{INT64_MAX};
constexpr const char* kFirstFile = "cq/orders/0/00000000000000000000";
constexpr const char* kSecondFile = "cq/orders/0/00000000000006000000";
constexpr const char* kIdHex = "0102030405060708090a0b0c0d0e0f10";

TopicId id_of(std::uint8_t first) {
  TopicId id;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<std::uint8_t>(first + i);
  return id;
}

class ConsumeQueueFilesTest : public testing::Test {
 protected:
  ConsumeQueueFilesTest() { expect_ok(disk_.make_directory("cq")); }

  /// Batches of `count` records each, one behind the other in the log.
  void append(ConsumeQueue& queue, int batches, std::int32_t count, std::int64_t timestamp = 0) {
    for (int i = 0; i < batches; ++i) {
      queue.append({.position = next_, .size_bytes = 160, .timestamp_max = timestamp}, count);
      next_.value += 160;
    }
  }

  void write_out(ConsumeQueue& queue, const QueueName& name) {
    QueueWrite units;
    while (queue.take(kAllSynced, units)) {
      expect_ok(files_.write(name, units));
      queue.written();
    }
  }

  std::string hex_of(const std::string& path) { return protocol::to_hex(protocol::as_bytes(text_of(disk_, path))); }

  std::vector<QueueUnit> read(const QueueName& name, std::int64_t from, std::size_t count) {
    std::vector<QueueUnit> units(count);
    const Result<void> done = files_.read(name, Offset{from}, units);
    expect_ok(done);
    return done.has_value() ? units : std::vector<QueueUnit>();
  }

  boost::system::error_code read_error(const QueueName& name, std::int64_t from, std::size_t count = 1) {
    std::vector<QueueUnit> units(count);
    const Result<void> done = files_.read(name, Offset{from}, units);
    return done.has_error() ? done.error() : boost::system::error_code();
  }

  MemoryFileSystem disk_;
  OpenFiles open_{disk_, 4};
  ConsumeQueueFiles files_{disk_, open_, "cq"};
  const QueueName orders_{.topic_id = id_of(1), .topic = "orders", .queue = QueueId{0}};
  LogPosition next_{4096};
};

TEST_F(ConsumeQueueFilesTest, WritesTheUnitsThatTheFormatNames) {
  ConsumeQueue queue;
  append(queue, 1, 2);
  const std::array<std::int64_t, 2> hashes = {2598919, -2147483648};
  queue.append({.position = LogPosition{0x1'0000'1000}, .size_bytes = 512}, hashes);
  write_out(queue, orders_);
  EXPECT_EQ(hex_of(kFirstFile),
            "0000000000001000000000a00000000000000000"
            "0000000000001000000000a00000000000000000"
            "000000010000100000000200000000000027a807"
            "000000010000100000000200ffffffff80000000");
  EXPECT_EQ(text_of(disk_, "cq/orders/topic-id"), std::string(kIdHex) + "\n");
  EXPECT_EQ(names_in(disk_, "cq/orders"), (std::vector<std::string>{"0", "topic-id"})) << "no page is whole yet";
}

TEST_F(ConsumeQueueFilesTest, AnUnwrittenQueueHasNoFile) {
  EXPECT_TRUE(names_in(disk_, "cq").empty());
  EXPECT_EQ(read_error(orders_, 0), make_error_code(StorageErrc::corrupt));
}

TEST_F(ConsumeQueueFilesTest, GoesOnInTheNextFileAfter300000Units) {
  ConsumeQueue queue;
  append(queue, 1, 299'999);
  append(queue, 1, 3);
  write_out(queue, orders_);
  EXPECT_EQ(text_of(disk_, kFirstFile).size(), kQueueFileBytes);
  EXPECT_EQ(text_of(disk_, kSecondFile).size(), 2 * kQueueUnitBytes);
  const auto units = read(orders_, 299'998, 4);
  ASSERT_EQ(units.size(), 4U);
  EXPECT_EQ(units[0].position, 4096);
  for (const std::size_t i : {1U, 2U, 3U}) EXPECT_EQ(units[i].position, 4256) << i;
  EXPECT_EQ(read_error(orders_, 300'002), make_error_code(StorageErrc::corrupt)) << "the file ends there";
}

TEST_F(ConsumeQueueFilesTest, AQueueThatStartsAboveZeroStartsInTheRightFileBehindFiller) {
  ConsumeQueue queue(Offset{300'003});
  append(queue, 1, 2);
  write_out(queue, orders_);
  EXPECT_EQ(names_in(disk_, "cq/orders/0"), std::vector<std::string>{"00000000000006000000"});
  const std::string filler = "00000000000000007fffffff0000000000000000";
  EXPECT_EQ(hex_of(kSecondFile), filler + filler + filler + "0000000000001000000000a00000000000000000" +
                                     "0000000000001000000000a00000000000000000");
  EXPECT_EQ(read_error(orders_, 300'002), make_error_code(StorageErrc::corrupt)) << "filler is no entry";
  EXPECT_EQ(read(orders_, 300'003, 2).size(), 2U);
}

TEST_F(ConsumeQueueFilesTest, FillerReachesFarIntoAFile) {
  ConsumeQueue queue(Offset{299'990});
  append(queue, 1, 20);
  write_out(queue, orders_);
  const std::string bytes = text_of(disk_, kFirstFile);
  ASSERT_EQ(bytes.size(), kQueueFileBytes);
  for (std::size_t i = 0; i < 299'990; ++i) {
    const auto unit = protocol::as_bytes(bytes).subspan(i * kQueueUnitBytes).first<kQueueUnitBytes>();
    ASSERT_EQ(kind_of(decode(unit)), UnitKind::kFiller) << i;
  }
  EXPECT_EQ(read(orders_, 299'990, 20).size(), 20U);
}

TEST_F(ConsumeQueueFilesTest, AppendsBehindATornUnit) {
  put_text(disk_, "cq/x", 0, "");
  ConsumeQueue queue;
  append(queue, 1, 1);
  write_out(queue, orders_);
  put_text(disk_, kFirstFile, kQueueUnitBytes, "torn");
  append(queue, 1, 1);
  write_out(queue, orders_);
  EXPECT_EQ(read(orders_, 1, 1).at(0).position, 4256);
}

TEST_F(ConsumeQueueFilesTest, OverwritesWhatACutLeftAndReadsOnlyWhatItIsAsked) {
  ConsumeQueue queue;
  append(queue, 10, 1);
  write_out(queue, orders_);
  queue.truncate(Offset{4});
  append(queue, 2, 1);
  write_out(queue, orders_);
  EXPECT_EQ(text_of(disk_, kFirstFile).size(), 10 * kQueueUnitBytes) << "the file keeps its length";
  const auto units = read(orders_, 3, 3);
  EXPECT_EQ(units[0].position, 4096 + 3 * 160);
  EXPECT_EQ(units[1].position, 4096 + 10 * 160);
  EXPECT_EQ(units[2].position, 4096 + 11 * 160);
}

TEST_F(ConsumeQueueFilesTest, LostRecordsAreNoEntries) {
  ConsumeQueue queue;
  append(queue, 1, 1);
  queue.append_lost(2);
  append(queue, 1, 1);
  write_out(queue, orders_);
  EXPECT_EQ(read_error(orders_, 1), make_error_code(StorageErrc::corrupt));
  EXPECT_EQ(read_error(orders_, 2), make_error_code(StorageErrc::corrupt));
  EXPECT_EQ(read(orders_, 3, 1).at(0).position, 4256);
}

TEST_F(ConsumeQueueFilesTest, DamagedUnitsAreNeverHandedOut) {
  ConsumeQueue queue;
  append(queue, 600, 1);
  write_out(queue, orders_);
  const QueueUnit bad[] = {{}, kFillerUnit, {4096, 0, 0}, {4096, -1, 0}, {INT64_MIN, 160, 0}};
  for (const QueueUnit& unit : bad) {
    std::array<std::byte, kQueueUnitBytes> bytes;
    encode(unit, bytes);
    ASSERT_TRUE(disk_.damage(kFirstFile, 450 * kQueueUnitBytes, bytes).has_value());
    EXPECT_EQ(read_error(orders_, 450), make_error_code(StorageErrc::corrupt)) << unit.position;
    EXPECT_EQ(read_error(orders_, 0, 600), make_error_code(StorageErrc::corrupt)) << "in the middle of a read";
    EXPECT_EQ(read(orders_, 0, 450).size(), 450U) << "the rest is served";
  }
}

TEST_F(ConsumeQueueFilesTest, AReadErrorOfTheMachineStaysOne) {
  ConsumeQueue queue;
  append(queue, 3, 1);
  write_out(queue, orders_);
  ASSERT_TRUE(disk_.fail_reads(kFirstFile, 0, 100, EIO).has_value());
  EXPECT_EQ(read_error(orders_, 0), boost::system::errc::io_error);
  disk_.heal_reads();
  EXPECT_EQ(read(orders_, 0, 3).size(), 3U);
}

TEST_F(ConsumeQueueFilesTest, ADirectoryOfAnotherTopicsIdIsRemovedBeforeItIsUsed) {
  ConsumeQueue old_queue;
  append(old_queue, 500, 1);
  write_out(old_queue, orders_);
  const QueueName again{.topic_id = id_of(50), .topic = "orders", .queue = QueueId{7}};
  EXPECT_EQ(*files_.topics().id_of("orders"), orders_.topic_id);
  ConsumeQueue queue;
  append(queue, 1, 1);
  write_out(queue, again);
  EXPECT_EQ(*files_.topics().id_of("orders"), again.topic_id);
  EXPECT_EQ(names_in(disk_, "cq/orders"), (std::vector<std::string>{"7", "topic-id"}));
  EXPECT_EQ(read_error(orders_, 0), make_error_code(StorageErrc::corrupt));
}

TEST_F(ConsumeQueueFilesTest, ADirectoryWithoutAReadableIdIsNobodys) {
  const std::string bad[] = {"",
                             std::string(kIdHex),
                             std::string(kIdHex) + "\n\n",
                             std::string(33, '\n'),
                             std::string(32, 'x') + "\n",
                             std::string(kIdHex).substr(2) + "  \n"};
  for (const std::string& text : bad) {
    expect_ok(disk_.make_directory("cq/orders"));
    put_text(disk_, "cq/orders/topic-id", 0, text);
    put_text(disk_, "cq/orders/left-over", 0, "x");
    EXPECT_EQ(*files_.topics().id_of("orders"), std::nullopt) << text;
    ConsumeQueue queue;
    append(queue, 1, 1);
    write_out(queue, orders_);
    EXPECT_EQ(names_in(disk_, "cq/orders"), (std::vector<std::string>{"0", "topic-id"})) << text;
    expect_ok(files_.remove_topic("orders"));
  }
  EXPECT_EQ(*files_.topics().id_of("orders"), std::nullopt);
}

TEST_F(ConsumeQueueFilesTest, ListsTheTopicsThatHaveDirectories) {
  ConsumeQueue queue;
  append(queue, 1, 1);
  write_out(queue, orders_);
  expect_ok(disk_.make_directory("cq/stale"));
  put_text(disk_, "cq/file", 0, "no topic");
  EXPECT_EQ(*files_.topics().names(), (std::vector<std::string>{"orders", "stale"}));
}

TEST_F(ConsumeQueueFilesTest, TrimRemovesOnlyFilesThatAreWhollyBelow) {
  ConsumeQueue queue;
  append(queue, 3, 250'000);
  write_out(queue, orders_);
  const auto left = [&] { return names_in(disk_, "cq/orders/0").size(); };
  expect_ok(files_.trim(orders_, Offset{299'999}));
  EXPECT_EQ(left(), 3U);
  EXPECT_EQ(names_in(disk_, "cq/orders").size(), 2U + 3U) << "and their times";
  expect_ok(files_.trim(orders_, Offset{300'000}));
  EXPECT_EQ(left(), 2U);
  EXPECT_EQ(read_error(orders_, 299'999), make_error_code(StorageErrc::corrupt)) << "its open file is forgotten";
  EXPECT_EQ(read(orders_, 300'000, 1).size(), 1U);
  expect_ok(files_.trim(orders_, Offset{750'000}));
  EXPECT_EQ(left(), 1U);
  EXPECT_EQ(names_in(disk_, "cq/orders").size(), 2U + 1U);
  expect_ok(files_.trim(orders_, Offset{750'000}));
  EXPECT_EQ(left(), 1U) << "again";
  expect_ok(files_.trim({.topic_id = id_of(1), .topic = "none", .queue = QueueId{0}}, Offset{9}));
}

TEST_F(ConsumeQueueFilesTest, RemovesAQueueOrATopicWithAllItsFiles) {
  const QueueName other{.topic_id = id_of(1), .topic = "orders", .queue = QueueId{1}};
  ConsumeQueue queue;
  ConsumeQueue other_queue;
  append(queue, 2, 300);
  append(other_queue, 2, 300);
  write_out(queue, orders_);
  write_out(other_queue, other);
  expect_ok(files_.remove_queue(orders_));
  EXPECT_EQ(names_in(disk_, "cq/orders"), (std::vector<std::string>{"1", "1-00000000000000000000.times", "topic-id"}));
  EXPECT_EQ(read(other, 0, 600).size(), 600U);
  expect_ok(files_.remove_topic("orders"));
  EXPECT_TRUE(names_in(disk_, "cq").empty());
  EXPECT_EQ(read_error(other, 0), make_error_code(StorageErrc::corrupt)) << "its open file is forgotten";
  expect_ok(files_.remove_queue(orders_));
  expect_ok(files_.remove_topic("orders"));
}

TEST_F(ConsumeQueueFilesTest, FindsThePageByItsGreatestTimestamp) {
  ConsumeQueue queue;
  for (const std::int64_t timestamp : {10, 90, 30, 200, 40}) {
    append(queue, 1, 150, 5);
    append(queue, 1, 50, timestamp);
  }
  append(queue, 1, 30, 1);
  write_out(queue, orders_);
  const auto page = [&](std::int64_t timestamp, std::int64_t from) -> std::int64_t {
    const auto found = files_.find_time_page(orders_, timestamp, Offset{from}, queue.written_end());
    EXPECT_TRUE(found.has_value());
    return found.has_value() && *found ? (*found)->value : -1;
  };
  EXPECT_EQ(page(0, 0), 0);
  EXPECT_EQ(page(10, 0), 0);
  EXPECT_EQ(page(11, 0), 200);
  EXPECT_EQ(page(90, 0), 200);
  EXPECT_EQ(page(91, 0), 600);
  EXPECT_EQ(page(91, 399), 600);
  EXPECT_EQ(page(30, 399), 399) << "inside the page of `from` it is `from` itself";
  EXPECT_EQ(page(41, 700), 700);
  EXPECT_EQ(page(201, 0), 1000) << "the last page is not whole: only a look tells";
  EXPECT_EQ(page(201, 1030), -1) << "the end";
}

TEST_F(ConsumeQueueFilesTest, APageThatIsFilledInPiecesHasTheGreatestOfAll) {
  ConsumeQueue queue;
  append(queue, 1, 120, 70);
  write_out(queue, orders_);
  append(queue, 1, 30, 50);
  write_out(queue, orders_);
  append(queue, 1, 100, 60);
  write_out(queue, orders_);
  append(queue, 1, 150, 20);
  write_out(queue, orders_);
  const auto first = [&](std::int64_t timestamp) {
    return *files_.find_time_page(orders_, timestamp, Offset{0}, Offset{400});
  };
  EXPECT_EQ(first(70), Offset{0});
  EXPECT_EQ(first(71), std::nullopt);
  EXPECT_EQ(*files_.find_time_page(orders_, 60, Offset{200}, Offset{400}), Offset{200});
}

TEST_F(ConsumeQueueFilesTest, LostOrDamagedTimesCostALookNotAnAnswer) {
  const std::string times = "cq/orders/0-00000000000000000000.times";
  ConsumeQueue queue;
  append(queue, 4, 200, 50);
  write_out(queue, orders_);
  EXPECT_EQ(*files_.find_time_page(orders_, 51, Offset{0}, Offset{800}), std::nullopt);
  const std::array<std::byte, 1> damage = {std::byte{0xFF}};
  ASSERT_TRUE(disk_.damage(times, 2 * 12 + 3, damage).has_value());
  EXPECT_EQ(*files_.find_time_page(orders_, 51, Offset{0}, Offset{800}), Offset{400});
  open_.forget(times);
  expect_ok(disk_.remove_file(times));
  EXPECT_EQ(*files_.find_time_page(orders_, 51, Offset{0}, Offset{800}), Offset{0});
}

TEST_F(ConsumeQueueFilesTest, KeepsFewFilesOpenHoweverManyQueuesThereAre) {
  for (int i = 0; i < 100; ++i) {
    const QueueName name{.topic_id = id_of(1), .topic = "orders", .queue = QueueId{i}};
    ConsumeQueue queue;
    append(queue, 1, 250);
    write_out(queue, name);
    EXPECT_LE(open_.open_count(), 4U);
  }
  for (int i = 0; i < 100; ++i) {
    const QueueName name{.topic_id = id_of(1), .topic = "orders", .queue = QueueId{i}};
    EXPECT_EQ(read(name, 249, 1).at(0).position, 4096 + 160 * i);
    EXPECT_LE(open_.open_count(), 4U);
  }
}

}  // namespace
}  // namespace braid::storage
