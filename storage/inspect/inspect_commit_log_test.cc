// What people and programs see of a log: whole, damaged, in use, and of pieces of one that lie elsewhere.
#include "storage/inspect/inspect_commit_log.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "storage/commitlog/commit_log_format.h"
#include "storage/commitlog/superblock.h"
#include "storage/inspect/inspected_store.h"

namespace braid::storage {
namespace {

class InspectCommitLog : public testing::Test {
 protected:
  InspectSummary inspect(const std::string& path = "", LogInspection options = {}) {
    lines_ = InspectLines();
    return inspect_commit_log(store_.files(), path, options, lines_);
  }
  InspectSummary inspect_json(const std::string& path = "") { return inspect(path, {.format = InspectFormat::kJson}); }

  void copy(const std::string& from, const std::string& to) {
    const auto source = store_.files().open(from, {.mode = OpenMode::kRead});
    ASSERT_TRUE(source.has_value()) << from;
    Bytes bytes(*(*source)->size());
    ASSERT_TRUE((*source)->read(0, bytes).has_value());
    const auto target = store_.files().open(to, {.mode = OpenMode::kCreateNew});
    ASSERT_TRUE(target.has_value() && (*target)->write(0, bytes).has_value()) << to;
  }

  InspectedStore store_;
  InspectLines lines_;
};

TEST_F(InspectCommitLog, ShowsAnEntryALine) {
  const PartitionId orders = store_.create("orders");
  store_.append(orders);
  store_.settle();
  EXPECT_EQ(inspect().findings, 0U);
  const std::vector<std::string> expected = {
      "      position  type           bytes  incarnation  what",
      "          4096  incarnation       88            1  the store was opened, appended 1970-01-01T00:00:00.000Z, "
      "synced 0",
      "          4184  created          104            1  orders-0 partition created, its first offset is 0, indexing "
      "1, "
      "appended 1970-01-01T00:00:00.000Z, synced 4184",
      "          4288  batch            656            1  orders-0 offsets 0 to 1, epoch 0, newest record "
      "1970-01-01T00:00:00.005Z, appended 1970-01-01T00:00:00.000Z",
  };
  EXPECT_EQ(lines_.rows, expected);
  EXPECT_EQ(lines_.notes, std::vector<std::string>{"the log ends at position 4944"});
}

TEST_F(InspectCommitLog, ShowsAnEntryAnObject) {
  const PartitionId orders = store_.create("orders");
  store_.append(orders);
  store_.settle();
  EXPECT_EQ(inspect_json().rows, 3U);
  EXPECT_EQ(lines_.rows[0],
            R"({"position":4096,"file":"commitlog/00000000000000000000","at":4096,"type":"incarnation",)"
            R"("size":88,"payload_size":0,"append_time":0,"incarnation":1,"synced":0,"crc_matches":true,)"
            R"("meaning":"the store was opened"})");
  EXPECT_EQ(
      lines_.rows[2],
      R"({"position":4288,"file":"commitlog/00000000000000000000","at":4288,"type":"batch","size":656,)"
      R"("payload_size":561,"topic":"orders","topic_id":"AAAAAAAAAAEAAAAAAAAAAQ","partition":0,"offset":0,)"
      R"("count":2,"leader_epoch":0,"max_timestamp":5,"append_time":0,"incarnation":1,"synced":null,)"
      R"("crc_matches":true,"meaning":"orders-0 offsets 0 to 1, epoch 0, newest record 1970-01-01T00:00:00.005Z"})");
}

TEST_F(InspectCommitLog, SaysInWordsWhatControlEntriesMean) {
  const PartitionId orders = store_.create("orders");
  const PartitionId bills = store_.create("bills");
  store_.append(orders);
  store_.append(orders);
  ASSERT_TRUE(store_.store().start_epoch(orders, LeaderEpoch{7}).has_value());
  store_.trim(orders, Offset{1});
  store_.settle();
  ASSERT_TRUE(store_.store().truncate(orders, Offset{2}).has_value());
  ASSERT_TRUE(store_.store().remove(bills).has_value());
  store_.settle();
  for (int i = 0; i < 250; ++i) store_.append(orders);
  store_.settle();
  inspect();
  const std::vector<std::string> before = lines_.rows;
  store_.trim(orders, Offset{490});
  store_.settle();
  store_.settle(100'000);
  store_.settle(200'000);
  EXPECT_EQ(inspect().findings, 0U) << lines_.findings.front();
  lines_.rows.insert(lines_.rows.end(), before.begin(), before.end());
  for (const char* const words : {"orders-0 leader epoch 7 started at offset 4", "orders-0 log start moved to offset 1",
                                  "orders-0 truncated to end at offset 2", "bills-0 partition removed",
                                  "nothing up to the file's end", "the log was synced up to here", "log file 0 freed",
                                  "piece 0 and last of a state snapshot: 1 partitions, 1 log files kept"})
    EXPECT_NE(line_with(lines_.rows, words), "") << words;
}

TEST_F(InspectCommitLog, SaysThatAnOpenFollowedACut) {
  store_.fill(10);
  store_.append(store_.named("orders"));
  store_.write();
  ASSERT_TRUE(store_.files()
                  .damage(kFirstLogFile, 4096 + 88 + 2 * 104 + 10 * 656 + 200, *protocol::from_hex("ff"))
                  .has_value());
  ASSERT_TRUE(store_.reopen_after({.variant = CutVariant::kKeepAll}));
  inspect();
  EXPECT_NE(line_with(lines_.rows, "the store was opened after a cut: all leader epochs raised by one"), "");
}

TEST_F(InspectCommitLog, ShowsARange) {
  store_.fill(20);
  const LogPosition third{4392};
  EXPECT_EQ(inspect("", {.from = third, .rows_max = 2}).rows, 2U);
  EXPECT_TRUE(lines_.rows[1].starts_with("          4392  batch")) << lines_.rows[1];
  EXPECT_EQ(inspect("", {.from = LogPosition{4393}, .to = LogPosition{5705}}).rows, 2U)
      << "the entry behind it, and the next";
  EXPECT_TRUE(lines_.rows[1].starts_with("          5048  batch")) << lines_.rows[1];
  EXPECT_EQ(inspect("", {.from = LogPosition{1'000'000}}).rows, 0U);
  EXPECT_EQ(lines_.findings, std::vector<std::string>());
  EXPECT_EQ(inspect("", {.rows_max = 0}).rows, 0U);
}

TEST_F(InspectCommitLog, StopsWhenTheSinkHasEnough) {
  store_.fill(20);
  lines_.rows_max = 3;
  inspect_commit_log(store_.files(), "", {}, lines_);
  EXPECT_EQ(lines_.rows.size(), 3U);
}

TEST_F(InspectCommitLog, GoesOnBehindADamagedHeader) {
  store_.fill();
  const std::uint64_t whole = inspect().rows;
  store_.damage(kFirstLogFile, 5048 + 20, "ff");
  store_.damage(kFirstLogFile, 5704, "00");
  EXPECT_EQ(inspect().rows, whole - 2);
  EXPECT_EQ(
      lines_.findings,
      std::vector<std::string>{"! commitlog/00000000000000000000 at 5048, position 5048: no valid entry (1312 bytes)"});
}

TEST_F(InspectCommitLog, ShowsAnEntryWithADamagedPayload) {
  store_.fill();
  const std::uint64_t whole = inspect().rows;
  store_.damage(kSecondLogFile, 4096 + 300, "ff");
  EXPECT_EQ(inspect().rows, whole);
  EXPECT_EQ(
      lines_.findings,
      std::vector<std::string>{
          "! commitlog/00000000000000131072 at 4096, position 135168: the batch's CRC does not match (656 bytes)"});
  EXPECT_NE(line_with(lines_.rows, "DAMAGED: the batch's CRC does not match"), "");
  inspect_json();
  EXPECT_NE(line_with(lines_.rows, R"("crc_matches":false)"), "");
}

TEST_F(InspectCommitLog, TellsPaddingAndFieldsApartFromTheCrc) {
  store_.fill(10);
  store_.damage(kFirstLogFile, 5048 - 1, "01");
  store_.damage(kFirstLogFile, 5048 + 88 + 12, "01020304");
  inspect();
  EXPECT_NE(line_with(lines_.findings, "at 4392, position 4392: the padding is not zero"), "");
  EXPECT_NE(line_with(lines_.findings, "at 5048, position 5048: the batch does not say what the entry's header says"),
            "");
}

TEST_F(InspectCommitLog, TellsATornEndByANoteOnly) {
  store_.fill(10);
  const std::uint64_t whole = inspect().rows;
  const Appended last = store_.append(store_.named("orders"), 500, Durability::kWritten);
  store_.write();
  EXPECT_EQ(inspect().rows, whole + 1);
  const std::string position = std::to_string(last.position.value);
  store_.damage(kFirstLogFile, static_cast<std::uint64_t>(last.position.value) + 300, "ff");
  EXPECT_EQ(inspect().rows, whole) << "what nobody said to be synced is no damage";
  EXPECT_EQ(lines_.findings, std::vector<std::string>());
  EXPECT_TRUE(lines_.notes.front().starts_with("the log ends at position " + position + "; ")) << lines_.notes.front();
}

TEST_F(InspectCommitLog, LooksAgainWhereAnEntryWasBeingWritten) {
  store_.fill(10);
  const std::uint64_t whole = inspect().rows;
  store_.append(store_.named("orders"));
  int reads = 0;
  store_.files().observe([&](const MemoryCall& call) {
    // Two are of the superblock, the third is the whole log so far.
    if (call.operation == Operation::kRead && call.path == kFirstLogFile && ++reads == 4) store_.write();
  });
  EXPECT_EQ(inspect().rows, whole + 1);
  store_.files().observe({});
  EXPECT_EQ(lines_.findings, std::vector<std::string>());
}

TEST_F(InspectCommitLog, TakesEntriesOfAnEarlierLifeForNone) {
  store_.fill(10);
  ASSERT_TRUE(store_.close_and_open());
  const std::uint64_t whole = inspect().rows;
  const std::int64_t end = std::stoll(lines_.notes.front().substr(std::string("the log ends at position ").size()));
  EntryHeader left;
  left.type = EntryType::kSyncMark;
  left.size_bytes = kEntryHeaderBytes;
  left.position = LogPosition{end};
  left.incarnation = 1;
  ASSERT_TRUE(
      store_.files().damage(kFirstLogFile, static_cast<std::uint64_t>(end), encode(left, 0x01020304)).has_value());
  EXPECT_EQ(inspect().rows, whole);
  EXPECT_EQ(lines_.findings, std::vector<std::string>());
  EXPECT_NE(line_with(lines_.notes, "bytes lie behind it"), "");
  left.incarnation = 2;
  ASSERT_TRUE(
      store_.files().damage(kFirstLogFile, static_cast<std::uint64_t>(end), encode(left, 0x01020304)).has_value());
  EXPECT_EQ(inspect().rows, whole + 1) << "the same of this life";
}

TEST_F(InspectCommitLog, KnowsFromTheCheckpointThatTheEndIsLost) {
  store_.fill();
  ASSERT_TRUE(store_.store().close().has_value());
  store_.remove(kSecondLogFile);
  EXPECT_EQ(inspect().findings, 1U);
  EXPECT_NE(line_with(lines_.findings, "the log ends before position "), "") << lines_.findings.front();
}

TEST_F(InspectCommitLog, ReadsOnInTheNextFileBehindACutOne) {
  store_.fill();
  store_.cut(kFirstLogFile, 5048 + 50);
  inspect();
  EXPECT_EQ(
      lines_.findings.front(),
      "! commitlog/00000000000000000000 at 5048, position 5048: the file ends before the log does (126024 bytes)");
  EXPECT_NE(line_with(lines_.rows, "        135168  batch"), "");
}

TEST_F(InspectCommitLog, NotesAMissingFileAndGoesOn) {
  store_.fill(700);
  store_.remove(kSecondLogFile);
  EXPECT_EQ(inspect().findings, 0U);
  EXPECT_EQ(lines_.notes.front(), "no files from position 131072 to 262143: freed, or lost (`verify` knows)");
  EXPECT_NE(line_with(lines_.rows, "        266240  batch"), "");
}

TEST_F(InspectCommitLog, GoesOnBehindWhatCantBeRead) {
  store_.fill();
  const std::uint64_t whole = inspect().rows;
  ASSERT_TRUE(store_.files().fail_reads(kFirstLogFile, 8192, 12288, EIO).has_value());
  EXPECT_GT(inspect().rows, whole - 10);
  EXPECT_NE(line_with(lines_.findings, "Input/output error"), "") << "the machine's own words";
}

TEST_F(InspectCommitLog, ReadsWithoutAnIdentity) {
  store_.fill();
  const std::uint64_t whole = inspect().rows;
  store_.damage("identity", 0, "00");
  EXPECT_EQ(inspect().rows, whole);
  EXPECT_EQ(lines_.findings, std::vector<std::string>{"! identity at 0: damaged slot of the identity (4096 bytes)"});
  store_.remove("identity");
  EXPECT_EQ(inspect().rows, whole);
  EXPECT_EQ(lines_.findings, std::vector<std::string>{"! identity: No such file or directory"});
  store_.damage(kFirstLogFile, 0, "00");
  EXPECT_EQ(inspect().rows, whole) << "the other superblocks say the same";
  EXPECT_NE(line_with(lines_.findings, "damaged superblock"), "");
}

TEST_F(InspectCommitLog, ReadsAFolderAndASingleFileWhereverTheyLie) {
  store_.fill();
  const std::uint64_t whole = inspect().rows;
  EXPECT_EQ(inspect("commitlog").rows, whole);
  const std::uint64_t first = inspect(kFirstLogFile).rows;
  EXPECT_EQ(first + inspect(kSecondLogFile).rows, whole);
  EXPECT_EQ(lines_.findings, std::vector<std::string>());
  EXPECT_NE(line_with(lines_.rows, "orders-0 "), "") << "the checkpoint beside it knows the names";

  ASSERT_TRUE(store_.files().make_directory("copies").has_value());
  ASSERT_TRUE(store_.files().make_directory("copies/elsewhere").has_value());
  copy(kFirstLogFile, "copies/elsewhere/broken.bin");
  EXPECT_EQ(inspect("copies/elsewhere/broken.bin").rows, first) << "its superblock says where it belongs";
  copy(kSecondLogFile, "copies/elsewhere/00000000000000131072");
  store_.remove("copies/elsewhere/broken.bin");
  EXPECT_EQ(inspect("copies/elsewhere").rows, whole - first);
  EXPECT_EQ(lines_.findings, std::vector<std::string>());
  store_.damage("copies/elsewhere/00000000000000131072", 0, "00");
  EXPECT_EQ(inspect("copies/elsewhere").rows, 0U);
  EXPECT_EQ(lines_.findings,
            std::vector<std::string>{
                "! copies/elsewhere: neither an identity nor a whole superblock says how this log is read"});
}

TEST_F(InspectCommitLog, AnswersForWhatIsNoLog) {
  EXPECT_EQ(inspect("gone").findings, 1U);
  EXPECT_EQ(lines_.findings.front(), "! gone: No such file or directory");
  ASSERT_TRUE(store_.files().make_directory("empty").has_value());
  EXPECT_EQ(inspect("empty").findings, 1U);
  EXPECT_TRUE(lines_.findings.front().starts_with("! empty: nothing of a store here")) << lines_.findings.front();
  ASSERT_TRUE(store_.files().make_directory("data").has_value());
  ASSERT_TRUE(store_.files().make_directory("data/shard-0").has_value());
  EXPECT_GT(inspect("data").findings, 0U) << "a shard without anything";
}

TEST_F(InspectCommitLog, NamesWhatLiesBesideTheLogFiles) {
  store_.fill(10);
  copy(kFirstLogFile, "commitlog/notes.txt");
  copy(kFirstLogFile, "commitlog/00000000000000000007");
  inspect();
  EXPECT_EQ(lines_.findings.size(), 2U);
  EXPECT_NE(line_with(lines_.findings, "commitlog/notes.txt: no file of a log"), "");
  EXPECT_NE(line_with(lines_.findings, "commitlog/00000000000000000007: no file of this log"), "");
}

TEST_F(InspectCommitLog, NamesAnotherStoresSuperblock) {
  store_.fill();
  const Superblock theirs{protocol::uuid_from_halves(7, 7), LogPosition{131072}, 131072};
  ASSERT_TRUE(store_.files().damage(kSecondLogFile, 0, encode(theirs, 1)).has_value());
  inspect();
  EXPECT_NE(line_with(lines_.findings, "superblock of another store"), "");
}

}  // namespace
}  // namespace braid::storage
