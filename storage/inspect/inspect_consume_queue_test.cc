// What people and programs see of a queue: of RocketMQ's own files, of ours, and of damaged ones.
#include "storage/inspect/inspect_consume_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/commitlog/consume_queue_format.h"
#include "storage/commitlog/document_example.h"
#include "storage/env/memory_file_system.h"
#include "storage/inspect/inspect_lines.h"

namespace braid::storage {
namespace {

constexpr const char* kFirstFile = "00000000000000000000";
constexpr const char* kSecondFile = "00000000000006000000";

class InspectConsumeQueue : public testing::Test {
 protected:
  void put(const std::string& path, ByteView bytes, std::uint64_t at = 0) {
    const auto file = files_.open(path, {.mode = OpenMode::kCreate});
    ASSERT_TRUE(file.has_value()) << path;
    ASSERT_TRUE((*file)->write(at, bytes).has_value()) << path;
  }

  void put_unit(const std::string& path, std::int64_t index, const QueueUnit& unit) {
    std::array<std::byte, kQueueUnitBytes> bytes;
    encode(unit, bytes);
    put(path, bytes, static_cast<std::uint64_t>(index) * kQueueUnitBytes);
  }

  InspectSummary inspect(const std::string& path, const QueueInspection& options = {.format = InspectFormat::kJson}) {
    lines_ = InspectLines();
    return inspect_consume_queue(files_, path, options, lines_);
  }

  MemoryFileSystem files_;
  InspectLines lines_;
};

/// The fixture's rows as JSON, from RocketMQ's own words: "# 0: offset 0 size 251 code 2598919 tag …".
std::vector<std::string> rows_said_by(const std::string& fixture, protocol::Bytes& units) {
  std::vector<std::string> rows;
  for (const std::string& line : source_lines("storage/commitlog/fixtures/" + fixture)) {
    if (line.starts_with('#')) continue;
    const HexExample example = hex_example(line);
    units.insert(units.end(), example.bytes.begin(), example.bytes.end());
    const auto word_behind = [&](const std::string& word) {
      const std::size_t begin = line.find(word) + word.size();
      return line.substr(begin, line.find_first_of(": ", begin) - begin);
    };
    rows.push_back("{\"index\":" + word_behind("# ") + ",\"position\":" + word_behind("offset ") +
                   ",\"size\":" + word_behind("size ") + ",\"tag_hash\":" + word_behind("code ") + "}");
  }
  return rows;
}

TEST_F(InspectConsumeQueue, PrintsTheRowsOfRocketMqsOwnFiles) {
  for (const char* fixture : {"consume_queue_tags.txt", "consume_queue_transaction_ops.txt",
                              "consume_queue_delay_level_1.txt", "consume_queue_delay_level_2.txt"}) {
    protocol::Bytes units;
    const std::vector<std::string> said = rows_said_by(fixture, units);
    ASSERT_FALSE(said.empty()) << fixture;
    units.resize(kQueueFileBytes);  // RocketMQ's files have their full length
    ASSERT_TRUE(files_.make_directory(fixture).has_value());
    put(std::string(fixture) + "/" + kFirstFile, units);

    EXPECT_EQ(inspect(fixture).findings, 0U) << fixture;
    EXPECT_EQ(lines_.rows, said) << fixture;
    EXPECT_TRUE(lines_.notes.empty()) << fixture << ": " << lines_.notes.front();
    EXPECT_EQ(inspect(std::string(fixture) + "/" + kFirstFile).rows, said.size()) << "the file alone";
    EXPECT_EQ(lines_.rows, said) << fixture;
  }
}

TEST_F(InspectConsumeQueue, PrintsColumnsForPeople) {
  put_unit(kFirstFile, 0, {4096, 160, 0});
  put_unit(kFirstFile, 1, {4256, 512, -2147483648});
  EXPECT_EQ(inspect("", {}).rows, 2U);
  const std::vector<std::string> expected = {
      "       index             position        size             tag_hash",
      "           0                 4096         160                    0",
      "           1                 4256         512          -2147483648",
  };
  EXPECT_EQ(lines_.rows, expected);
}

TEST_F(InspectConsumeQueue, CountsOnAcrossFiles) {
  put_unit(kFirstFile, 299'999, {4096, 160, 0});
  put_unit(kSecondFile, 0, {4256, 160, 0});
  for (std::int64_t i = 0; i < 299'999; i += 1000) {
    std::vector<std::byte> filler(kQueueUnitBytes *
                                  static_cast<std::size_t>(std::min<std::int64_t>(1000, 299'999 - i)));
    for (std::size_t at = 0; at < filler.size(); at += kQueueUnitBytes)
      encode(kFillerUnit, std::span(filler).subspan(at).first<kQueueUnitBytes>());
    put(kFirstFile, filler, static_cast<std::uint64_t>(i) * kQueueUnitBytes);
  }
  EXPECT_EQ(inspect("").findings, 0U);
  const std::vector<std::string> rows = {R"({"index":299999,"position":4096,"size":160,"tag_hash":0})",
                                         R"({"index":300000,"position":4256,"size":160,"tag_hash":0})"};
  EXPECT_EQ(lines_.rows, rows);
  EXPECT_EQ(lines_.notes, std::vector<std::string>{"index 0 to 299998: filler, the queue begins behind it"});

  EXPECT_EQ(inspect(kSecondFile).rows, 1U);
  EXPECT_EQ(lines_.rows.front(), rows[1]) << "a file's name says where it counts from";
}

TEST_F(InspectConsumeQueue, ShowsAPartOfALongQueue) {
  for (std::int64_t i = 0; i < 7000; ++i) put_unit(kFirstFile, i, {4096 + 160 * i, 160, 0});
  EXPECT_EQ(inspect("", {.format = InspectFormat::kJson, .first_index = 6500, .rows_max = 2}).rows, 2U);
  EXPECT_EQ(lines_.rows.front(), R"({"index":6500,"position":1044096,"size":160,"tag_hash":0})");
  EXPECT_EQ(lines_.rows.size(), 2U);
  EXPECT_EQ(inspect("", {.format = InspectFormat::kJson, .first_index = 8000}).rows, 0U);
}

TEST_F(InspectConsumeQueue, StopsWhenTheSinkHasEnough) {
  for (std::int64_t i = 0; i < 10; ++i) put_unit(kFirstFile, i, {4096 + 160 * i, 160, 0});
  lines_.rows_max = 3;
  inspect_consume_queue(files_, "", {}, lines_);
  EXPECT_EQ(lines_.rows.size(), 3U);
}

TEST_F(InspectConsumeQueue, ShowsADamagedUnitAndGoesOn) {
  put_unit(kFirstFile, 0, {4096, 160, 0});
  put_unit(kFirstFile, 1, {4256, -3, 9});
  put_unit(kFirstFile, 3, {4576, 160, 0});
  put_unit(kFirstFile, 4, {4096, 160, 0});
  put_unit(kFirstFile, 5, kFillerUnit);
  put_unit(kFirstFile, 6, {INT64_MIN + 8, 160, 0});
  put(kFirstFile, std::vector<std::byte>(7), 7 * kQueueUnitBytes);
  EXPECT_EQ(inspect("").findings, 4U);
  EXPECT_EQ(lines_.rows.size(), 5U);
  EXPECT_EQ(lines_.rows[1], R"({"index":1,"position":4256,"size":-3,"tag_hash":9})");
  EXPECT_EQ(lines_.rows[4], R"({"index":6,"position":-9223372036854775800,"size":160,"tag_hash":0})");
  const std::vector<std::string> findings = {
      "! 00000000000000000000 at 140: the end is no whole unit (7 bytes)",
      "! 00000000000000000000 at 20: index 1: no such unit is ever written (20 bytes)",
      "! 00000000000000000000 at 40: index 2: zeros; nothing was written there, or the records are lost (20 bytes)",
      "! 00000000000000000000 at 100: index 5: filler behind entries (20 bytes)",
  };
  EXPECT_EQ(lines_.findings, findings);
  EXPECT_EQ(lines_.notes, std::vector<std::string>{"index 4: the position goes back; perhaps left from before a cut"});
}

TEST_F(InspectConsumeQueue, SaysWhichUnitsAreMissingAndWhatElseLiesThere) {
  put_unit(kFirstFile, 0, {4096, 160, 0});
  put_unit("00000000000018000000", 0, {8192, 160, 0});
  put("notes.txt", protocol::as_bytes("x"));
  EXPECT_EQ(inspect("").findings, 2U);
  EXPECT_EQ(lines_.rows.size(), 2U);
  EXPECT_EQ(lines_.findings[0], "! notes.txt: no file of a queue");
  EXPECT_EQ(lines_.findings[1], "! 00000000000018000000: index 1 to 899999: not in the files");
}

TEST_F(InspectConsumeQueue, GoesOnBehindWhatCantBeRead) {
  for (std::int64_t i = 0; i < 7000; ++i) put_unit(kFirstFile, i, {4096 + 160 * i, 160, 0});
  ASSERT_TRUE(files_.fail_reads(kFirstFile, 70'000, 70'001, EIO).has_value());
  const InspectSummary summary = inspect("");
  EXPECT_EQ(summary.rows, 4000U);
  EXPECT_EQ(summary.findings, 1U);
  EXPECT_EQ(lines_.findings.front(), "! 00000000000000000000 at 60000: Input/output error (60000 bytes)");
}

TEST_F(InspectConsumeQueue, ReadsAFileByAnyName) {
  put_unit("copy.bin", 0, {4096, 160, 0});
  EXPECT_EQ(inspect("copy.bin").rows, 1U);
  EXPECT_EQ(lines_.notes, std::vector<std::string>{"copy.bin is no queue file's name; the index counts from 0"});
}

TEST_F(InspectConsumeQueue, ShowsNoMoreThanAQueueFileHolds) {
  put_unit(kFirstFile, 299'999, {4096, 160, 0});
  put_unit(kFirstFile, 300'000, {4256, 160, 0});
  const InspectSummary summary = inspect("");
  EXPECT_EQ(summary.rows, 1U);
  EXPECT_EQ(summary.findings, 2U) << "the length, and the zeros before the unit";
}

TEST_F(InspectConsumeQueue, AnswersForWhatIsNotThere) {
  InspectLines lines;
  EXPECT_EQ(inspect_consume_queue(files_, "gone", {}, lines).findings, 1U);
  EXPECT_EQ(lines.findings.front(), "! gone: No such file or directory");
  EXPECT_EQ(inspect("").findings, 1U) << "no queue in the directory";
  EXPECT_TRUE(lines_.findings.front().starts_with("! no queue here")) << lines_.findings.front();
}

TEST_F(InspectConsumeQueue, ChangesNothing) {
  put_unit(kFirstFile, 0, {4096, 160, 0});
  const std::uint64_t changes = files_.changes();
  inspect("");
  inspect(kFirstFile);
  EXPECT_EQ(files_.changes(), changes);
}

TEST_F(InspectConsumeQueue, SaysOfEachFailedCallWhatItCost) {
  for (std::int64_t i = 0; i < 5000; ++i) put_unit(kFirstFile, i, {4096 + 160 * i, 160, 0});
  const Operation calls[] = {Operation::kOpen, Operation::kList, Operation::kSize, Operation::kRead};
  for (const Operation call : calls) {
    files_.plan({.operation = call, .for_ever = true, .error = EIO});
    InspectLines lines;
    const auto summary = inspect_consume_queue(files_, "", {.format = InspectFormat::kJson}, lines);
    EXPECT_GT(summary.findings, 0U) << name_of(call);
    EXPECT_TRUE(lines.rows.empty()) << name_of(call);
    files_.clear_faults();
  }
  files_.plan({.operation = Operation::kRead, .effect = Fault::Effect::kShort});
  EXPECT_EQ(inspect("").rows, 5000U) << "a short read goes on";
}

}  // namespace
}  // namespace braid::storage
