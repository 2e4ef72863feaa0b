// Exact bytes: those of docs/formats/consume_queue.md, and those that Apache RocketMQ wrote (fixtures/).
#include "storage/commitlog/consume_queue_format.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "protocol/base/hex.h"
#include "storage/commitlog/document_example.h"
#include "storage/commitlog/queue_run.h"
#include "storage/commitlog/queue_times_format.h"

namespace braid::storage {
namespace {

constexpr const char* kDocument = "docs/formats/consume_queue.md";

QueueUnit unit_of(const protocol::Bytes& bytes) { return decode(std::span(bytes).first<kQueueUnitBytes>()); }

std::string hex_of(const QueueUnit& unit) {
  std::array<std::byte, kQueueUnitBytes> bytes;
  encode(unit, bytes);
  return protocol::to_hex(bytes);
}

TEST(ConsumeQueueFormat, UnitsAreTheDocumentsBytes) {
  const auto examples = hex_examples(kDocument, "hex units");
  ASSERT_EQ(examples.size(), 6U);
  for (const HexExample& example : examples) {
    QueueUnit unit;
    std::istringstream(example.meaning) >> unit.position >> unit.size_bytes >> unit.tag_hash;
    ASSERT_EQ(example.bytes.size(), kQueueUnitBytes) << example.meaning;
    EXPECT_EQ(hex_of(unit), protocol::to_hex(example.bytes)) << example.meaning;
    EXPECT_EQ(unit_of(example.bytes), unit) << example.meaning;
  }
}

TEST(ConsumeQueueFormat, TheDocumentsKindsAreTold) {
  const UnitKind kinds[] = {UnitKind::kEntry,  UnitKind::kEntry,       UnitKind::kEntry,
                            UnitKind::kFiller, UnitKind::kReclustered, UnitKind::kNone};
  const auto examples = hex_examples(kDocument, "hex units");
  ASSERT_EQ(examples.size(), std::size(kinds));
  for (std::size_t i = 0; i < examples.size(); ++i)
    EXPECT_EQ(kind_of(unit_of(examples[i].bytes)), kinds[i]) << examples[i].meaning;
}

struct KindCase {
  const char* name;
  QueueUnit unit;
  UnitKind kind;
};

TEST(ConsumeQueueFormat, WhatIsNeverWrittenIsDamage) {
  const KindCase cases[] = {
      {"size 0 with a position", {8, 0, 0}, UnitKind::kDamaged},
      {"size 0 with a tag", {0, 0, 5}, UnitKind::kDamaged},
      {"negative size", {4096, -160, 0}, UnitKind::kDamaged},
      {"negative size in a re-clustered file", {-1, -1, -1}, UnitKind::kDamaged},
      {"RocketMQ's first entry, at position 0", {0, 251, 2598919}, UnitKind::kEntry},
      {"filler's size with a tag", {0, 0x7FFFFFFF, 1}, UnitKind::kEntry},
      {"greatest position", {INT64_MAX, 1, 0}, UnitKind::kEntry},
      {"greatest position in a re-clustered file", {-1, 1, 0}, UnitKind::kReclustered},
  };
  for (const KindCase& given : cases) EXPECT_EQ(kind_of(given.unit), given.kind) << given.name;
}

TEST(ConsumeQueueFormat, UnitsLieWhereTheDocumentSays) {
  const auto lines = example_lines(kDocument, "places");
  ASSERT_EQ(lines.size(), 4U);
  for (const std::string& line : lines) {
    std::int64_t offset = 0;
    std::string name;
    std::uint64_t at = 0;
    std::istringstream(line) >> offset >> name >> at;
    const UnitPlace place = place_of(offset);
    EXPECT_EQ(queue_file_name(place.file_number), name) << line;
    EXPECT_EQ(place.at_bytes, at) << line;
    EXPECT_EQ(queue_file_number(name), place.file_number) << line;
  }
}

TEST(ConsumeQueueFormat, TheLastOffsetHasAFileWhoseNameJavaCanHold) {
  const UnitPlace place = place_of(kQueueOffsetEnd - 1);
  EXPECT_EQ(place.at_bytes, kQueueFileBytes - kQueueUnitBytes);
  const std::string name = queue_file_name(place.file_number);
  EXPECT_EQ(name.size(), 20U);
  EXPECT_LE(std::stoull(name), std::uint64_t{std::numeric_limits<std::int64_t>::max()} - kQueueFileBytes + 1);
  EXPECT_EQ(queue_file_number(name), place.file_number);
  EXPECT_DEATH(place_of(kQueueOffsetEnd), "holds this offset");
  EXPECT_DEATH(place_of(-1), "holds this offset");
}

TEST(ConsumeQueueFormat, OtherNamesAreNoQueueFiles) {
  for (const char* name : {"", "0", "00000000000000000020", "00000000000006000001", "0000000000000600000",
                           "000000000000006000000", "0000000000000600000x", "-0000000000006000000",
                           "99999999999999999999", "18446744073706000000", "00000000000000000000.times", "topic-id"})
    EXPECT_EQ(queue_file_number(name), std::nullopt) << name;
}

TEST(ConsumeQueueFormat, RocketMqsUnitsReadAsItsOwnRowsSay) {
  std::size_t rows = 0;
  for (const char* fixture : {"consume_queue_tags.txt", "consume_queue_transaction_ops.txt",
                              "consume_queue_delay_level_1.txt", "consume_queue_delay_level_2.txt"}) {
    for (const std::string& line : source_lines(std::string("storage/commitlog/fixtures/") + fixture)) {
      if (line.starts_with('#')) continue;
      QueueUnit said;
      std::string word;
      std::istringstream row(line.substr(line.find("offset")));
      row >> word >> said.position >> word >> said.size_bytes >> word >> said.tag_hash;
      const HexExample example = hex_example(line);
      ASSERT_EQ(example.bytes.size(), kQueueUnitBytes) << line;
      EXPECT_EQ(unit_of(example.bytes), said) << line;
      EXPECT_EQ(hex_of(said), protocol::to_hex(example.bytes)) << line;
      EXPECT_EQ(kind_of(said), UnitKind::kEntry) << line;
      ++rows;
    }
  }
  EXPECT_EQ(rows, 19U);
}

TEST(QueueTimesFormat, TimesAreTheDocumentsBytes) {
  const auto examples = hex_examples(kDocument, "hex times");
  ASSERT_EQ(examples.size(), 3U);
  for (const HexExample& example : examples) {
    Offset begin;
    std::int64_t timestamp = 0;
    std::istringstream(example.meaning) >> begin.value >> timestamp;
    std::array<std::byte, kQueueTimeBytes> bytes;
    encode_time(begin, timestamp, bytes);
    EXPECT_EQ(protocol::to_hex(bytes), protocol::to_hex(example.bytes)) << example.meaning;
    EXPECT_EQ(decode_time(begin, bytes), timestamp) << example.meaning;
  }
}

TEST(QueueTimesFormat, AnUnknownTimeIsZerosAndDamageIsUnknown) {
  std::array<std::byte, kQueueTimeBytes> bytes;
  encode_time(Offset{200}, kUnknownTimestamp, bytes);
  EXPECT_EQ(protocol::to_hex(bytes), std::string(24, '0'));
  EXPECT_EQ(decode_time(Offset{200}, bytes), kUnknownTimestamp);

  encode_time(Offset{200}, 1'700'000'000'000, bytes);
  EXPECT_EQ(decode_time(Offset{400}, bytes), kUnknownTimestamp) << "another page's bytes";
  for (std::size_t bit = 0; bit < kQueueTimeBytes * 8; ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(decode_time(Offset{200}, damaged), kUnknownTimestamp) << "bit " << bit;
  }
}

}  // namespace
}  // namespace braid::storage
