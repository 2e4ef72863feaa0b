// The header view, patching in place, building and walking, against bytes that Kafka's own classes wrote: those of
// docs/formats/record_batch.md.
#include "protocol/records/record_batch.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "protocol/base/hex.h"
#include "protocol/records/control_batch.h"
#include "protocol/records/record_batch_builder.h"
#include "protocol/records/record_batch_iterator.h"
#include "protocol/records/test_batches.h"

namespace braid::protocol {
namespace {

/// The lines between ```hex NAME and ``` in the document; nothing if there is no such example.
Bytes documented(const std::string& name) {
  std::ifstream document(std::string(BRAID_SOURCE_DIR) + "/docs/formats/record_batch.md");
  std::string hex;
  bool within = false;
  for (std::string line; std::getline(document, line);) {
    if (within && line == "```") break;
    // What follows // explains the line.
    if (within) hex += line.substr(0, line.find("//"));
    if (line == "```hex " + name) within = true;
  }
  const auto bytes = from_hex(hex);
  EXPECT_TRUE(within && bytes.has_value()) << "no example " << name;
  return bytes.has_value() ? *bytes : Bytes();
}

Bytes one_record_batch() {
  Compressor compressor;
  const std::array<NewRecord, 1> records = {
      NewRecord{.timestamp = kExampleTimestamp, .key = as_bytes("k"), .value = as_bytes("v")}};
  return *build_batch({}, records, compressor, 1000);
}

TEST(RecordBatch, OfOneRecordIsBuiltAsDocumented) {
  EXPECT_EQ(to_hex(one_record_batch()), to_hex(documented("one_record")));
}

TEST(RecordBatch, WithHeaderNullAndProducerIsBuiltAsDocumented) {
  Compressor compressor;
  const std::array<RecordHeader, 2> headers = {RecordHeader{as_bytes("h"), as_bytes("x")},
                                               RecordHeader{as_bytes("h"), std::nullopt}};
  const std::array<NewRecord, 2> records = {
      NewRecord{.timestamp = kExampleTimestamp, .value = as_bytes("v"), .headers = headers},
      NewRecord{.timestamp = kExampleTimestamp + 64, .key = as_bytes("")}};
  const auto built =
      build_batch({.producer_id = 9, .producer_epoch = 4, .base_sequence = 7}, records, compressor, 1000);
  EXPECT_EQ(to_hex(*built), to_hex(documented("two_records")));
}

TEST(RecordBatch, FieldsAreReadWhereTheyAreDocumented) {
  const Bytes bytes = documented("commit_marker");
  const RecordBatch batch(bytes);
  EXPECT_EQ(batch.base_offset(), 5);
  EXPECT_EQ(batch.batch_length(), 66);
  EXPECT_EQ(batch.partition_leader_epoch(), 3);
  EXPECT_EQ(batch.magic(), 2);
  EXPECT_EQ(batch.crc(), 0x9bd4c6a5U);
  EXPECT_TRUE(batch.crc_matches());
  EXPECT_EQ(batch.attributes(), 0x30);
  EXPECT_EQ(batch.codec(), Codec::kNone);
  EXPECT_TRUE(batch.transactional());
  EXPECT_TRUE(batch.control());
  EXPECT_FALSE(batch.has_delete_horizon());
  EXPECT_EQ(batch.timestamp_type(), TimestampType::kCreateTime);
  EXPECT_EQ(batch.last_offset_delta(), 0);
  EXPECT_EQ(batch.last_offset(), 5);
  EXPECT_EQ(batch.next_offset(), 6);
  EXPECT_EQ(batch.base_timestamp(), kExampleTimestamp);
  EXPECT_EQ(batch.max_timestamp(), kExampleTimestamp);
  EXPECT_EQ(batch.producer_id(), 9);
  EXPECT_EQ(batch.producer_epoch(), 4);
  EXPECT_EQ(batch.base_sequence(), kNoSequence);
  EXPECT_EQ(batch.last_sequence(), kNoSequence);
  EXPECT_EQ(batch.record_count(), 1);
  EXPECT_EQ(batch.body().size(), 17U);
}

TEST(RecordBatch, LastSequenceGoesOnAtZeroAfterTheLargest) {
  const auto records = random_records(1, 3, 5);
  const auto last_sequence = [&](std::int32_t base) {
    const Bytes batch = build_owned({.producer_id = 1, .producer_epoch = 0, .base_sequence = base}, records);
    return RecordBatch(batch).last_sequence();
  };
  EXPECT_EQ(last_sequence(0), 2);
  EXPECT_EQ(last_sequence(std::numeric_limits<std::int32_t>::max() - 2), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(last_sequence(std::numeric_limits<std::int32_t>::max() - 1), 0);
  EXPECT_EQ(last_sequence(std::numeric_limits<std::int32_t>::max()), 1);
}

TEST(RecordBatch, StampingChangesOffsetAndEpochAndNothingElse) {
  const Bytes before = one_record_batch();
  Bytes after = before;
  stamp(after, 0x0102030405060708, 7);
  EXPECT_EQ(RecordBatch(after).base_offset(), 0x0102030405060708);
  EXPECT_EQ(RecordBatch(after).partition_leader_epoch(), 7);
  EXPECT_TRUE(RecordBatch(after).crc_matches());
  stamp(after, 0, kNoLeaderEpoch);
  EXPECT_EQ(after, before);
}

TEST(RecordBatch, LogAppendTimeSetsBitMaximumAndCrcAndCreateTimeUndoesIt) {
  const Bytes before = one_record_batch();
  Bytes after = before;
  set_log_append_time(after, WallTime{1'800'000'000'000});
  const RecordBatch batch(after);
  EXPECT_EQ(batch.timestamp_type(), TimestampType::kLogAppendTime);
  EXPECT_EQ(batch.max_timestamp(), 1'800'000'000'000);
  EXPECT_EQ(batch.base_timestamp(), kExampleTimestamp);
  EXPECT_TRUE(batch.crc_matches());
  EXPECT_EQ(read_owned(after).front().timestamp, 1'800'000'000'000);
  set_create_time(after, kExampleTimestamp);
  EXPECT_EQ(after, before);
}

TEST(RecordBatch, CrcSeesEveryBitOfWhatItCovers) {
  Bytes bytes = one_record_batch();
  for (std::size_t bit = batch_layout::kAttributes * 8; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(RecordBatch(bytes).crc_matches()) << "bit " << bit;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_TRUE(RecordBatch(bytes).crc_matches());
}

TEST(RecordBatchBuilder, StopsAtItsBoundAndLeavesTheOutputAsItWas) {
  const Bytes expected = one_record_batch();
  for (std::size_t bound = 0; bound < expected.size() + 3; ++bound) {
    RecordBatchBuilder builder;
    builder.start({});
    builder.add({.timestamp = kExampleTimestamp, .key = as_bytes("k"), .value = as_bytes("v")});
    Compressor compressor;
    Bytes out(3);
    const auto finished = builder.finish(compressor, out, bound);
    ASSERT_EQ(finished.has_value(), bound >= expected.size() + 3) << bound;
    EXPECT_EQ(out.size(), finished.has_value() ? expected.size() + 3 : 3);
  }
}

TEST(RecordBatchBuilder, GivesEveryRecordTheAppendTimeThatItIsTold) {
  const Bytes batch = build_owned({.log_append_time = 77}, {{.timestamp = 100}, {.timestamp = 50}});
  EXPECT_EQ(RecordBatch(batch).timestamp_type(), TimestampType::kLogAppendTime);
  EXPECT_EQ(RecordBatch(batch).base_timestamp(), 100);
  EXPECT_EQ(RecordBatch(batch).max_timestamp(), 77);
  for (const OwnedRecord& record : read_owned(batch)) EXPECT_EQ(record.timestamp, 77);
}

TEST(RecordBatchBuilder, BuildsOneBatchAfterTheOther) {
  RecordBatchBuilder builder;
  Compressor compressor;
  for (int i = 0; i < 2; ++i) {
    builder.start({});
    builder.add({.timestamp = kExampleTimestamp, .key = as_bytes("k"), .value = as_bytes("v")});
    EXPECT_EQ(builder.uncompressed_bytes(), one_record_batch().size());
    Bytes out;
    ASSERT_TRUE(builder.finish(compressor, out, 1000).has_value());
    EXPECT_EQ(out, one_record_batch());
  }
}

TEST(RecordBatchBuilder, WithoutRecordsMakesTheBatchThatCompactionLeaves) {
  RecordBatchBuilder builder;
  builder.start({.base_offset = 4, .producer_id = 1, .producer_epoch = 0, .base_sequence = 3});
  Compressor compressor;
  Bytes out;
  ASSERT_TRUE(builder.finish(compressor, out, 1000).has_value());
  EXPECT_EQ(RecordBatch(out).record_count(), 0);
  EXPECT_TRUE(RecordBatch(out).crc_matches());
  EXPECT_TRUE(read_owned(out).empty());
}

TEST(ControlBatch, CommitMarkerIsBuiltAndReadAsDocumented) {
  const EndTxnMarker marker{
      .type = ControlType::kCommit, .producer_id = 9, .producer_epoch = 4, .coordinator_epoch = 0};
  Bytes built = build_end_txn_batch(marker, WallTime{kExampleTimestamp});
  stamp(built, 5, 3);
  EXPECT_EQ(to_hex(built), to_hex(documented("commit_marker")));
  const auto read = read_end_txn_batch(RecordBatch(built));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->type, ControlType::kCommit);
  EXPECT_EQ(read->producer_id, 9);
  EXPECT_EQ(read->producer_epoch, 4);
}

TEST(ControlBatch, AbortMarkerKeepsItsEpochs) {
  const Bytes built = build_end_txn_batch(
      {.type = ControlType::kAbort, .producer_id = 1, .producer_epoch = 32767, .coordinator_epoch = 77}, WallTime{1});
  const auto read = read_end_txn_batch(RecordBatch(built));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->type, ControlType::kAbort);
  EXPECT_EQ(read->producer_epoch, 32767);
  EXPECT_EQ(read->coordinator_epoch, 77);
}

TEST(ControlBatch, ThatIsNoMarkerIsMalformed) {
  EXPECT_TRUE(read_end_txn_batch(RecordBatch(one_record_batch())).has_error()) << "no control bit";
  for (const char* key : {"", "000000", "ffff0000", "00000002"}) {
    const Bytes key_bytes = *from_hex(key);
    const OwnedRecord record{.timestamp = 1, .key = std::string(as_text(key_bytes)), .value = std::string(6, '\0')};
    const Bytes batch = build_owned({.transactional = true, .control = true}, {record});
    EXPECT_TRUE(read_end_txn_batch(RecordBatch(batch)).has_error()) << "key " << key;
  }
  const OwnedRecord marker{.timestamp = 1, .key = std::string("\0\0\0\1", 4), .value = std::string(6, '\0')};
  EXPECT_TRUE(
      read_end_txn_batch(RecordBatch(build_owned({.transactional = true, .control = true}, {marker}))).has_value());
  EXPECT_TRUE(read_end_txn_batch(RecordBatch(build_owned({.transactional = true}, {marker}))).has_error());
  const OwnedRecord old_value{.timestamp = 1, .key = marker.key, .value = std::string("\xff\xff\0\0\0\0", 6)};
  EXPECT_TRUE(read_end_txn_batch(RecordBatch(build_owned({.control = true}, {old_value}))).has_error());
  const OwnedRecord no_value{.timestamp = 1, .key = std::string(4, '\0')};
  const Bytes batch = build_owned({.transactional = true, .control = true}, {no_value});
  EXPECT_TRUE(read_end_txn_batch(RecordBatch(batch)).has_error());
}

TEST(RecordBatchIterator, YieldsEachBatchAndThenTheEnd) {
  Bytes field = one_record_batch();
  const Bytes second = plain_batch(Codec::kLz4, 3);
  field.insert(field.end(), second.begin(), second.end());
  RecordBatchIterator batches(field);
  EXPECT_EQ((*batches.next())->record_count(), 1);
  EXPECT_EQ((*batches.next())->record_count(), 3);
  EXPECT_FALSE(batches.next()->has_value());
  EXPECT_FALSE(RecordBatchIterator(ByteView()).next()->has_value());
}

TEST(RecordBatchIterator, TellsACutBatchFromABrokenOne) {
  const Bytes whole = one_record_batch();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_EQ(RecordBatchIterator(ByteView(whole).first(size)).next().error(), make_error_code(Errc::truncated))
        << size;
  }
  for (const std::size_t field : {batch_layout::kBatchLength, batch_layout::kMagic}) {
    Bytes broken = whole;
    broken[field] = std::byte{0xff};
    EXPECT_EQ(RecordBatchIterator(broken).next().error(), make_error_code(Errc::malformed)) << field;
  }
}

TEST(RecordBatchIterator, RefusesALengthBelowAHeader) {
  Bytes bytes = one_record_batch();
  bytes[batch_layout::kBatchLength + 3] = std::byte{48};
  EXPECT_EQ(RecordBatchIterator(bytes).next().error(), make_error_code(Errc::malformed));
}

TEST(RecordIterator, RefusesARecordThatEndsBeforeItsLength) {
  const LooseRecord record;
  const std::string content =
      varint_text(static_cast<std::int64_t>(record.content().size()) + 1) + record.content() + "x";
  const Bytes bytes = batch_around(Codec::kNone, content, 1);
  RecordIterator records{RecordBatch(bytes), RecordBatch(bytes).body()};
  EXPECT_TRUE(records.next().has_error());
}

TEST(RecordIterator, RefusesWhatIsNoRecordAtAnyCut) {
  const Bytes batch = plain_batch(Codec::kNone, 1);
  const ByteView body = RecordBatch(batch).body();
  for (std::size_t size = 0; size < body.size(); ++size) {
    RecordIterator records(RecordBatch(batch), body.first(size));
    EXPECT_TRUE(records.next().has_error()) << size;
  }
  Bytes longer(body.begin(), body.end());
  longer.push_back(std::byte{0});
  RecordIterator records{RecordBatch(batch), longer};
  EXPECT_TRUE(records.next().has_value());
  EXPECT_TRUE(records.next().has_error()) << "bytes after the last record";
}

TEST(RecordIterator, WrapsOffsetsAndTimestampsThatLeadOutOf64Bits) {
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  Bytes bytes = batch_around(
      Codec::kNone, LooseRecord{.timestamp_delta = varint_text(kHighest), .offset_delta = varint_text(1)}.framed(), 2);
  stamp(bytes, kHighest, 0);
  const RecordBatch batch(bytes);
  RecordIterator records(batch, batch.body());
  const auto record = records.next();
  EXPECT_EQ((*record)->offset, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ((*record)->timestamp, std::numeric_limits<std::int64_t>::min() + kExampleTimestamp - 1);
  EXPECT_EQ(batch.last_offset(), std::numeric_limits<std::int64_t>::min());
}

TEST(RecordIterator, GivesOffsetsOfABatchThatCompactionThinned) {
  const std::string content =
      LooseRecord{.offset_delta = varint_text(2)}.framed() + LooseRecord{.offset_delta = varint_text(9)}.framed();
  Bytes bytes = batch_around(Codec::kNone, content, 2);
  stamp(bytes, 100, 0);
  const RecordBatch batch(bytes);
  RecordIterator records(batch, batch.body());
  EXPECT_EQ((*records.next())->offset, 102);
  EXPECT_EQ((*records.next())->offset, 109);
}

}  // namespace
}  // namespace braid::protocol
