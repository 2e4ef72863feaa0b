// What people and programs see of the checkpoints, whole and damaged.
#include "storage/inspect/inspect_checkpoint.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/commitlog/checkpoint.h"
#include "storage/inspect/inspected_store.h"

namespace braid::storage {
namespace {

class InspectCheckpoint : public testing::Test {
 protected:
  InspectSummary inspect(InspectFormat format = InspectFormat::kText) {
    lines_ = InspectLines();
    return inspect_checkpoint(store_.files(), "", format, lines_);
  }

  InspectedStore store_;
  InspectLines lines_;
};

TEST_F(InspectCheckpoint, ShowsBothSlotsAndAllThatTheOneSaysThatCounts) {
  store_.fill(400);
  EXPECT_EQ(inspect().findings, 0U);
  const std::vector<std::string> expected = {
      "slot 0: sequence 3, all below position 276080, incarnation 1, appended until 1970-01-01T00:00:00.000Z, 527 "
      "bytes; "
      "this one counts",
      "slot 1: sequence 2, all below position 204704, incarnation 1, appended until 1970-01-01T00:00:00.000Z, 435 "
      "bytes",
      "",
      "partition                    start           end   in the files    indexing  epochs (first offset)",
      "orders-0                         0           532  up to      532           1  0(0)",
      "bills-3                          0           268  up to      268           1  0(0)",
      "",
      "log file              entries         bytes  partition: offsets, newest record",
      "00000000000000000000      128         83968  orders-0: 0 to 255, 1970-01-01T00:00:00.005Z",
      "00000000000000000000       64         41984  bills-3: 0 to 127, 1970-01-01T00:00:00.005Z",
      "00000000000000131072      128         83968  orders-0: 256 to 511, 1970-01-01T00:00:00.005Z",
      "00000000000000131072       65         42640  bills-3: 128 to 257, 1970-01-01T00:00:00.005Z",
      "00000000000000262144       10          6560  orders-0: 512 to 531, 1970-01-01T00:00:00.005Z",
      "00000000000000262144        5          3280  bills-3: 258 to 267, 1970-01-01T00:00:00.005Z",
  };
  EXPECT_EQ(lines_.rows, expected);
}

TEST_F(InspectCheckpoint, ShowsAnObjectALine) {
  store_.fill(400);
  inspect(InspectFormat::kJson);
  const std::vector<std::string> expected = {
      R"({"kind":"slot","slot":0,"state":"whole","counts":true,"bytes":527,"sequence":3,"position":276080,"append_time":0,"incarnation":1})",
      R"({"kind":"slot","slot":1,"state":"whole","counts":false,"bytes":435,"sequence":2,"position":204704,"append_time":0,"incarnation":1})",
      R"({"kind":"partition","topic":"orders","topic_id":"AAAAAAAAAAEAAAAAAAAAAQ","partition":0,"start":0,"end":532,"written_end":532,"runs":0,"indexing":1,"leader_epochs":[[0,0]],"kept_as_of":0,"kept_bytes":0})",
  };
  ASSERT_GT(lines_.rows.size(), 5U);
  EXPECT_EQ(std::vector<std::string>(lines_.rows.begin(), lines_.rows.begin() + 3), expected);
  EXPECT_EQ(lines_.rows[4], R"({"kind":"file","position":0,"file":"commitlog/00000000000000000000","partitions":2})");
  EXPECT_EQ(
      lines_.rows[5],
      R"({"kind":"slice","position":0,"topic":"orders","topic_id":"AAAAAAAAAAEAAAAAAAAAAQ","partition":0,"bytes":83968,"entries":128,"first":0,"last":255,"max_timestamp":5})");
}

TEST_F(InspectCheckpoint, SaysWhatIsWrongWithASlot) {
  struct Case {
    const char* name;
    std::uint64_t at;
    const char* hex;
    const char* words;
  };
  const Case cases[] = {
      {"magic", 0, "00", "no checkpoint: it does not begin with BRCP"},
      {"header", 20, "ffff", "the header's CRC does not match"},
      {"payload", 100, "ff", "the payload's CRC does not match"},
  };
  for (const Case& given : cases) {
    InspectedStore store;
    store.fill(400);
    store.damage("checkpoint/0", given.at, given.hex);
    InspectLines lines;
    EXPECT_EQ(inspect_checkpoint(store.files(), "", InspectFormat::kText, lines).findings, 1U) << given.name;
    EXPECT_EQ(lines.findings.front(), std::string("! checkpoint/0: ") + given.words) << given.name;
    EXPECT_NE(line_with(lines.rows, "slot 1: sequence 2").find("this one counts"), std::string::npos) << given.name;
    EXPECT_NE(line_with(lines.rows, "orders-0 "), "") << given.name;
  }
}

TEST_F(InspectCheckpoint, SaysThatASlotIsCutOrGone) {
  store_.fill(400);
  store_.cut("checkpoint/0", 300);
  EXPECT_EQ(inspect().findings, 1U);
  EXPECT_EQ(lines_.findings.front(), "! checkpoint/0: shorter than its header says");
  store_.cut("checkpoint/0", 10);
  inspect();
  EXPECT_EQ(lines_.findings.front(), "! checkpoint/0: shorter than a header");
  store_.remove("checkpoint/0");
  store_.remove("checkpoint/1");
  EXPECT_EQ(inspect().findings, 0U);
  EXPECT_EQ(lines_.rows, (std::vector<std::string>{"slot 0: there is none", "slot 1: there is none"}));
  EXPECT_EQ(lines_.notes,
            std::vector<std::string>{"no checkpoint counts: the next start builds the queues from the log"});
}

TEST_F(InspectCheckpoint, ReadsASlotAgainThatWasBeingWritten) {
  store_.fill(400);
  store_.damage("checkpoint/0", 100, "ff");
  int reads = 0;
  store_.files().observe([&](const MemoryCall& call) {
    if (call.operation == Operation::kRead && call.path == "checkpoint/0" && ++reads == 2)
      store_.damage("checkpoint/0", 100, "00");
  });
  EXPECT_EQ(inspect().findings, 0U);
  store_.files().observe({});
  EXPECT_EQ(reads, 2);
}

TEST_F(InspectCheckpoint, SaysThatASlotSpeaksOfMoreThanTheLogHolds) {
  store_.fill(400);
  store_.remove("commitlog/00000000000000262144");
  EXPECT_EQ(inspect().findings, 1U);
  EXPECT_EQ(lines_.findings.front(), "! checkpoint/0: position 276080 lies beyond the end of the log: not used");
  EXPECT_NE(line_with(lines_.rows, "slot 1: ").find("this one counts"), std::string::npos);
}

TEST_F(InspectCheckpoint, TellsAnotherStoresSlot) {
  store_.fill(400);
  store_.remove("checkpoint/1");
  const ShardState nothing(LogGeometry{131072});
  const Bytes theirs = encode_checkpoint({.sequence = 9}, protocol::uuid_from_halves(7, 7), nothing);
  ASSERT_TRUE(store_checkpoint(store_.files(), 1, theirs).has_value());
  EXPECT_EQ(inspect().findings, 1U);
  EXPECT_EQ(lines_.findings.front(), "! checkpoint/1: of another store");
}

}  // namespace
}  // namespace braid::storage
