// The records of __consumer_offsets, byte for byte: other programs read them.
#include "broker/groups/group_record.h"

#include <gtest/gtest.h>

#include <string>

#include "storage/commitlog/document_example.h"

namespace braid::broker {
namespace {

/// Digits only: the expected ones have spaces between fields.
std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

std::string hex(protocol::ByteView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

TEST(GroupRecords, AnOffsetIsWrittenAsKafkaWritesIt) {
  const GroupRecord record = record_of_offset({"g", "t", 0}, {5, -1, "", 1'700'000'000'000, -1});
  EXPECT_EQ(hex(record.key), without_spaces("0001 000167000174 00000000"));
  EXPECT_EQ(hex(*record.value), without_spaces("0003 0000000000000005 ffffffff 0000 0000018bcfe56800"));
}

TEST(GroupRecords, TheDocumentsExampleIsWhatIsWritten) {
  const GroupRecord record = record_of_offset({"g", "t", 0}, {5, -1, "", 1'700'000'000'000, -1});
  const auto lines = storage::hex_examples("docs/formats/group_records.md", "hex");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].bytes, record.key);
  EXPECT_EQ(lines[1].bytes, *record.value);
}

TEST(GroupRecords, AnOffsetWithItsOwnExpiryIsOfTheVersionThatHasOne) {
  const GroupRecord record = record_of_offset({"g", "t", 0}, {5, 7, "m", 1'700'000'000'000, 1'700'000'000'001});
  EXPECT_EQ(hex(*record.value), without_spaces("0001 0000000000000005 00016d 0000018bcfe56800 0000018bcfe56801"));
  const auto read = parse_offset(*record.value);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->expire_timestamp, 1'700'000'000'001);
}

TEST(GroupRecords, AGroupIsWrittenAsKafkaWritesIt) {
  protocol::GroupMetadataValue value;
  value.protocol_type = "consumer";
  value.generation = 2;
  value.protocol = "p";
  value.leader = "m";
  value.current_state_timestamp = 1'700'000'000'000;
  const GroupRecord record = record_of_group("g", value);
  EXPECT_EQ(hex(record.key), without_spaces("0002 000167"));
  EXPECT_EQ(hex(*record.value),
            without_spaces("0003 0008636f6e73756d6572 00000002 000170 00016d 0000018bcfe56800 00000000"));
}

TEST(GroupRecords, OldAndNewerOffsetsAreReadToo) {
  protocol::Bytes old_key = record_of_no_offset({"g", "t", 3}).key;
  old_key[1] = std::byte{0};
  const auto key = parse_key(old_key);
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(std::get<OffsetKey>(*key).partition, 3);
}

TEST(GroupRecords, KeysOfOtherKindsAreKnownAsUnknownAndBrokenOnesRefused) {
  protocol::Bytes other = record_of_no_group("g").key;
  other[1] = std::byte{3};
  const auto unknown = parse_key(other);
  ASSERT_TRUE(unknown.has_value());
  EXPECT_TRUE(std::holds_alternative<UnknownKey>(*unknown));
  const protocol::Bytes whole = record_of_no_offset({"g", "t", 3}).key;
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(parse_key(protocol::ByteView(whole).first(size)).has_error()) << size;
}

}  // namespace
}  // namespace braid::broker
