// One offset followed to its bytes: through files and through what is only in the checkpoint or the log, and where the
// trail breaks.
#include "storage/inspect/inspect_where.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "protocol/records/record_batch_builder.h"
#include "storage/inspect/inspected_store.h"

namespace braid::storage {
namespace {

class InspectWhere : public testing::Test {
 protected:
  InspectSummary where(std::int64_t offset, const std::string& topic = "orders",
                       InspectFormat format = InspectFormat::kText) {
    lines_ = InspectLines();
    return inspect_where(store_.files(), "",
                         {.format = format, .topic = topic, .partition = QueueId{0}, .offset = Offset{offset}}, lines_);
  }

  /// A batch of real records: k0 = v0 with a header, k1 = null.
  void append_records(PartitionId to, protocol::Codec codec = protocol::Codec::kNone) {
    const protocol::RecordHeader header{.key = protocol::as_bytes("h"), .value = protocol::as_bytes("\xff")};
    const std::vector<protocol::NewRecord> records = {
        {.timestamp = 1'700'000'000'000,
         .key = protocol::as_bytes("k0"),
         .value = protocol::as_bytes("v0"),
         .headers = {&header, 1}},
        {.timestamp = 1'700'000'000'001, .key = protocol::as_bytes("k1"), .value = {}},
    };
    protocol::Compressor compressor;
    const auto batch = build_batch({.codec = codec}, records, compressor, 4096);
    auto room = store_.store().reserve(store_.store().entry_bytes(batch->size()), Purpose::kProduce);
    ASSERT_TRUE(room.has_value());
    store_.store().append(to, {.bytes = *batch, .epoch = {}, .tag_hashes = {}, .durability = {}, .now = {}}, *room);
    store_.settle();
  }

  InspectedStore store_;
  InspectLines lines_;
};

TEST_F(InspectWhere, NamesEachByteOnTheWayToARecord) {
  append_records(store_.create("orders"));
  EXPECT_EQ(where(0).findings, 0U);
  const std::vector<std::string> expected = {
      "partition: orders-0, topic id AAAAAAAAAAEAAAAAAAAAAQ, log start 0, next offset 2",
      "unit: index 0 of the queue: position 4288, size 176, tag hash 0",
      "    said by the log; not in consumequeue/orders/0/00000000000000000000 at 0 yet",
      "entry: commitlog/00000000000000000000 at 4288",
      "          4288   4  magic                  42524531",
      "          4292   4  header_crc             ",
      "          4296   4  size                   176",
      "          4300   1  type                   1   batch",
      "          4301   1  padding                ",
  };
  ASSERT_GT(lines_.rows.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(lines_.rows[i].starts_with(expected[i])) << lines_.rows[i] << "\n" << expected[i];
  EXPECT_NE(line_with(lines_.rows, "4393   4  crc "), "") << "behind 88 bytes of header and 17 of the batch";
  EXPECT_NE(line_with(lines_.rows, "4393   4  crc ").find("   matches"), std::string::npos);
  EXPECT_EQ(line_with(lines_.rows, "record: "), "record: commitlog/00000000000000000000 at 4437, 15 bytes");
  EXPECT_NE(line_with(lines_.rows, "    timestamp  1700000000000   2023-11-14T22:13:20.000Z"), "");
  EXPECT_NE(line_with(lines_.rows, "    key        \"k0\" (2 bytes)"), "");
  EXPECT_NE(line_with(lines_.rows, "    header     \"h\" (1 bytes) = ff (1 bytes)"), "");
}

TEST_F(InspectWhere, ShowsAStepAnObject) {
  append_records(store_.create("orders"));
  where(1, "orders", InspectFormat::kJson);
  ASSERT_EQ(lines_.rows.size(), 5U);
  EXPECT_EQ(
      lines_.rows[0],
      R"({"step":"partition","topic":"orders","topic_id":"AAAAAAAAAAEAAAAAAAAAAQ","partition":0,"start":0,"end":2})");
  EXPECT_EQ(
      lines_.rows[1],
      R"({"step":"unit","index":1,"said_by":"the log","file":"consumequeue/orders/0/00000000000000000000","at":20,"in_file":false,"position":4288,"size":176,"tag_hash":0})");
  EXPECT_TRUE(lines_.rows[2].starts_with(
      R"({"step":"entry","file":"commitlog/00000000000000000000","at":4288,"magic":"42524531",)"))
      << lines_.rows[2];
  EXPECT_TRUE(lines_.rows[3].starts_with(
      R"({"step":"batch","file":"commitlog/00000000000000000000","at":4376,"crc_matches":true,"base_offset":0,)"))
      << lines_.rows[3];
  EXPECT_EQ(
      lines_.rows[4],
      R"({"step":"record","file":"commitlog/00000000000000000000","at":4452,"size":9,"offset":1,"timestamp":1700000000001,"key":"k1","value":null,"headers":[]})");
  where(0, "orders", InspectFormat::kJson);
  EXPECT_NE(line_with(lines_.rows, R"("headers":[{"key":"h","value_hex":"ff"}])"), "");
}

TEST_F(InspectWhere, UnpacksACompressedBatch) {
  append_records(store_.create("orders"), protocol::Codec::kZstd);
  EXPECT_EQ(where(1).findings, 0U);
  EXPECT_EQ(line_with(lines_.rows, "record: "),
            "record: commitlog/00000000000000000000, byte 15 of the batch's content, unpacked, 9 bytes");
  EXPECT_NE(line_with(lines_.rows, "\"k1\""), "");
  EXPECT_NE(line_with(lines_.rows, "codec zstd, CreateTime"), "");
}

/// Test batches hold bytes that are no records: the trail ends with a finding there, and not before.
const char* const kNoRecord = "the batch holds no record with offset";

TEST_F(InspectWhere, FindsUnitsInFilesInTheCheckpointAndInTheLog) {
  store_.fill(400);
  const PartitionId bills = store_.create("more");
  store_.append(bills);
  where(3);
  EXPECT_NE(line_with(lines_.rows, "    in consumequeue/orders/0/00000000000000000000 at 60"), "");
  EXPECT_NE(line_with(lines_.findings, kNoRecord), "");
  store_.settle();
  where(1, "more");
  EXPECT_NE(line_with(lines_.rows, "    said by the log; not in "), "");
  ASSERT_TRUE(store_.store().close().has_value());
  where(1, "more");
  EXPECT_NE(line_with(lines_.rows, "    said by the checkpoint; not in "), "");
  EXPECT_NE(line_with(lines_.findings, kNoRecord), "");
}

TEST_F(InspectWhere, FindsAllWithoutACheckpointOrQueues) {
  store_.fill(400);
  where(3);
  const std::string unit = line_with(lines_.rows, "unit: ");
  store_.remove("checkpoint/0");
  store_.remove("checkpoint/1");
  store_.remove("consumequeue/orders/0/00000000000000000000");
  where(3);
  EXPECT_EQ(line_with(lines_.rows, "unit: ").substr(0, 50), unit.substr(0, 50));
  EXPECT_NE(line_with(lines_.rows, "said by the log"), "");
  EXPECT_NE(line_with(lines_.findings, kNoRecord), "");
}

TEST_F(InspectWhere, SaysWhyThereIsNothing) {
  store_.fill(400);
  store_.trim(store_.named("orders"), Offset{10});
  store_.settle();
  struct Case {
    std::int64_t offset;
    const char* topic;
    const char* words;
  };
  const Case cases[] = {
      {9, "orders", "! offset 9 is below the log start"},
      {532, "orders", "! offset 532 is not written yet: the next one is 532"},
      {0, "nothing", "! neither checkpoint nor log know a partition nothing-0"},
      {0, "bills", "! neither checkpoint nor log know a partition bills-0"},
      {0, "../orders", "! neither checkpoint nor log know a partition ../orders-0"},
      {-1, "orders", "! no queue has an offset -1"},
      {INT64_MAX, "orders", "! no queue has an offset 9223372036854775807"},
  };
  for (const Case& given : cases) {
    EXPECT_EQ(where(given.offset, given.topic).findings, 1U) << given.words;
    EXPECT_EQ(lines_.findings.front(), given.words);
  }
}

TEST_F(InspectWhere, FollowsWhatTheLogSaysBehindTheCheckpoint) {
  store_.fill(400);
  const PartitionId orders = store_.named("orders");
  ASSERT_TRUE(store_.store().truncate(orders, Offset{100}).has_value());
  store_.settle();
  EXPECT_EQ(where(100).findings, 1U);
  EXPECT_EQ(lines_.findings.front(), "! offset 100 is not written yet: the next one is 100");
  append_records(orders);
  EXPECT_EQ(where(101).findings, 0U) << lines_.findings.front();
  EXPECT_NE(line_with(lines_.rows, "\"k1\""), "");
  ASSERT_TRUE(store_.store().remove(orders).has_value());
  store_.settle();
  EXPECT_EQ(where(101).findings, 1U);
  append_records(store_.create("orders"));
  EXPECT_EQ(where(1).findings, 0U) << "made again: another topic of that name";
}

TEST_F(InspectWhere, ShowsWhatStandsWhereTheTrailBreaks) {
  store_.fill(400);
  store_.damage(kFirstLogFile, 7672 + 20, "ff");
  EXPECT_EQ(where(7).findings, 1U);
  EXPECT_EQ(lines_.findings.front(),
            "! commitlog/00000000000000000000 at 7672, position 7672: no valid entry (656 bytes)");
  EXPECT_NE(line_with(lines_.rows, "7672   4  magic                  42524531"), "")
      << "the bytes are shown as they are";

  store_.damage(kFirstLogFile, 5704 + 300, "ff");
  EXPECT_EQ(where(3).findings, 1U);
  EXPECT_NE(line_with(lines_.findings, "the batch's CRC does not match"), "");
  EXPECT_NE(line_with(lines_.rows, "does NOT match"), "");

  store_.damage("consumequeue/orders/0/00000000000000000000", 20 * 20, "0000000000001128000002900000000000000000");
  where(20);
  EXPECT_NE(line_with(lines_.findings, "the entry is not the one that holds this offset"), "")
      << lines_.findings.front();
  store_.damage("consumequeue/orders/0/00000000000000000000", 20 * 20, "0000000000000000000000000000000000000000");
  where(20);
  EXPECT_NE(line_with(lines_.findings, "the record is lost"), "");
  store_.damage("consumequeue/orders/0/00000000000000000000", 20 * 20, "0000000000001048fffffffe0000000000000000");
  where(20);
  EXPECT_NE(line_with(lines_.findings, "no unit that locates an entry"), "");
}

}  // namespace
}  // namespace braid::storage
