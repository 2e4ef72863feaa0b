// What a decoder accepts and refuses, whatever the message: nulls, lengths, counts, tags, versions.
#include <gtest/gtest.h>

#include "protocol/base/hex.h"
#include "protocol/base/limits.h"
#include "protocol/messages/01_fetch.h"
#include "protocol/messages/03_metadata.h"
#include "protocol/messages/12_heartbeat.h"
#include "protocol/messages/18_api_versions.h"
#include "protocol/messages/75_describe_topic_partitions.h"
#include "protocol/messages/cg_05_consumer_group_member_metadata.h"
#include "protocol/messages/decoded.h"
#include "protocol/messages/encoded.h"
#include "protocol/wire/varint.h"

namespace braid::protocol {
namespace {

template <class Message>
boost::system::error_code error_of(ByteView bytes, std::int16_t version, std::size_t arena_bytes_max = kArenaBytesMax) {
  Arena arena(arena_bytes_max);
  Reader in(bytes);
  Message message;
  const Result<void> read = decode(in, version, arena, message);
  return read.has_error() ? read.error() : boost::system::error_code();
}

template <class Message>
boost::system::error_code error_of(std::string_view hex, std::int16_t version) {
  return error_of<Message>(from_hex(hex).value(), version);
}

/// Encodes what it decoded from the digits.
template <class Message>
std::string recoded(std::string_view hex, std::int16_t version) {
  const Bytes bytes = from_hex(hex).value();
  Arena arena;
  Reader in(bytes);
  Message message;
  const Result<void> read = decode(in, version, arena, message);
  if (read.has_error()) return read.error().message();
  return to_hex(encode_to_bytes(message, version));
}

const boost::system::error_code kFine;
const boost::system::error_code kMalformed = make_error_code(Errc::malformed);

TEST(Null, IsMalformedWhereTheVersionAllowsNone) {
  EXPECT_EQ(error_of<MetadataRequest>("ffffffff", 0), kMalformed) << "topics, null from version 1 on";
  EXPECT_EQ(error_of<MetadataRequest>("ffffffff", 1), kFine);
  EXPECT_EQ(error_of<HeartbeatRequest>("ffff 00000000 0000", 0), kMalformed) << "classic string";
  EXPECT_EQ(error_of<HeartbeatRequest>("00 00000000 01 00 00", 4), kMalformed) << "flexible string";
  EXPECT_EQ(error_of<HeartbeatRequest>("01 00000000 01 00 00", 4), kFine) << "the group instance may be null";
  EXPECT_EQ(error_of<ApiVersionsResponse>("0000 ffffffff", 0), kMalformed) << "classic array";
  EXPECT_EQ(error_of<ApiVersionsResponse>("0000 00 00000000 00", 3), kMalformed) << "flexible array";
}

TEST(NullStruct, IsAnyNegativeByteAndPresentOtherwise) {
  EXPECT_EQ(recoded<DescribeTopicPartitionsRequest>("01 00000001 ff 00", 0), "0100000001ff00");
  EXPECT_EQ(recoded<DescribeTopicPartitionsRequest>("01 00000001 80 00", 0), "0100000001ff00");
  EXPECT_EQ(recoded<DescribeTopicPartitionsRequest>("01 00000001 05 02 74 00000000 00 00", 0),
            "0100000001"
            "01"
            "0274"
            "00000000"
            "00"
            "00");
}

TEST(NullStructInATag, IsAVarintAndDiffersFromTheDefault) {
  const std::string before =
      "0000"
      "01"
      "01"
      "01"
      "00"
      "00000000"
      "00";
  const std::string without = before + "00";
  const std::string null = before +
                           "01"
                           "00"
                           "01"
                           "00";
  const std::string nine_ms = before +
                              "01"
                              "00"
                              "07"
                              "01"
                              "00000009"
                              "01"
                              "00";
  EXPECT_EQ(recoded<ConsumerGroupMemberMetadataValue>(without, 0), without) << "absent: the default struct";
  EXPECT_EQ(recoded<ConsumerGroupMemberMetadataValue>(null, 0), null);
  EXPECT_EQ(recoded<ConsumerGroupMemberMetadataValue>(nine_ms, 0), nine_ms);
  EXPECT_EQ(recoded<ConsumerGroupMemberMetadataValue>(before + "01 00 07 01 00000000 01 00", 0), without)
      << "present but equal to the default";
}

TEST(Length, BelowMinusOneIsMalformed) {
  EXPECT_EQ(error_of<MetadataRequest>("fffffffe", 1), kMalformed) << "classic array";
  EXPECT_EQ(error_of<HeartbeatRequest>("0001 67 00000000 0001 6d fffe", 3), kMalformed) << "classic nullable string";
  EXPECT_EQ(error_of<MetadataRequest>("ffffffff0f 01 00 00 00", 9), kMalformed) << "flexible array";
}

TEST(Length, OfAStringIsHeldToKafkasLimitInBothForms) {
  for (const std::size_t size : {kStringBytesMax, kStringBytesMax + 1}) {
    Bytes bytes(unsigned_varint_size(static_cast<std::uint32_t>(size) + 1) + size + 1 + 4 + 1 + 1 + 1);
    Writer out(bytes);
    out.unsigned_varint(static_cast<std::uint32_t>(size) + 1);
    out.bytes(Bytes(size));
    out.i32(0);
    out.unsigned_varint(1);
    out.unsigned_varint(0);
    out.unsigned_varint(0);
    EXPECT_EQ(error_of<HeartbeatRequest>(bytes, 4), size == kStringBytesMax ? kFine : kMalformed) << size;
  }
}

TEST(Count, ThatTheBytesCannotHoldIsRefusedBeforeAnythingIsAllocated) {
  EXPECT_EQ(error_of<MetadataRequest>("7fffffff", 1), kMalformed);
  EXPECT_EQ(error_of<MetadataRequest>("00000002 0000 00", 1), kMalformed) << "two topics take four bytes";
  EXPECT_EQ(error_of<MetadataRequest>("00000002 0000 0000", 1), kFine);
  EXPECT_EQ(error_of<ApiVersionsRequest>("ffffffff0f", 3), kMalformed);
}

TEST(Count, ThatIsRefusedHasTakenNothingFromTheArena) {
  Bytes bytes(4 + 2 * 1000 - 1);  // a byte less than a thousand topics take
  Writer(bytes).i32(1000);
  Arena arena;
  Reader in(bytes);
  MetadataRequest request;
  EXPECT_TRUE(decode(in, 1, arena, request).has_error());
  EXPECT_EQ(arena.used_bytes(), 0U);
}

TEST(Count, AboveAMillionIsRefusedAsInKafka) {
  for (const std::size_t count : {kArrayElementsMax, kArrayElementsMax + 1}) {
    Bytes bytes(4 + 2 * count);
    Writer(bytes).i32(static_cast<std::int32_t>(count));
    EXPECT_EQ(error_of<MetadataRequest>(bytes, 1), count == kArrayElementsMax ? kFine : kMalformed) << count;
  }
}

TEST(Arena, WhenExhaustedMakesTheMessageTooLarge) {
  Bytes bytes(4 + 2 * 1000);
  Writer(bytes).i32(1000);
  EXPECT_EQ(error_of<MetadataRequest>(bytes, 1, 1000), make_error_code(Errc::too_large));
}

TEST(UnknownTag, IsSkippedByItsSizeAndNeverSentOn) {
  EXPECT_EQ(recoded<ApiVersionsRequest>("0263 0231 02 05 02 aabb c801 00", 3), "0263023100");
  EXPECT_EQ(error_of<ApiVersionsRequest>("0263 0231 01 05 03 aabb", 3), kMalformed) << "longer than the message";
  EXPECT_EQ(error_of<ApiVersionsRequest>("0263 0231 02 05 00", 3), kMalformed) << "fewer than announced";
  EXPECT_EQ(error_of<ApiVersionsRequest>("0263 0231 ffffffff0f", 3), kMalformed);
}

TEST(TagCount, IsHeldToKafkasLimit) {
  for (const std::uint32_t count : {kTaggedFieldsMax, kTaggedFieldsMax + 1}) {
    Bytes bytes(4 + unsigned_varint_size(count) + 2 * std::size_t{count});
    Writer out(bytes);
    out.bytes(from_hex("02630231").value());
    out.unsigned_varint(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      out.u8(9);
      out.u8(0);
    }
    EXPECT_EQ(error_of<ApiVersionsRequest>(bytes, 3), count == kTaggedFieldsMax ? kFine : kMalformed) << count;
  }
}

// FinalizedFeaturesEpoch is tag 1 of ApiVersionsResponse, ZkMigrationReady tag 3.
TEST(KnownTag, GivenTwiceTheLastOneWins) {
  EXPECT_EQ(recoded<ApiVersionsResponse>("0000 01 00000000 02 01 08 0000000000000001 01 08 0000000000000002", 3),
            "00000100000000"
            "01"
            "0108"
            "0000000000000002");
}

TEST(KnownTag, OfAStructGivenTwiceStartsFromTheDefaultAgain) {
  // Partition with diverging_epoch (tag 0): first epoch 7 and end 8, then a struct that is all defaults.
  const std::string head =
      "00000000 0000 00000000 02 02 74 02 00000000 0000 0000000000000000 ffffffffffffffff "
      "ffffffffffffffff 00 ffffffff 00 ";
  const std::string tags = "02 00 0d 00000007 0000000000000008 00 00 0d ffffffff ffffffffffffffff 00 ";
  EXPECT_EQ(recoded<FetchResponse>(head + tags + "00 00", 12), to_hex(from_hex(head + "00 00 00").value()));
}

TEST(KnownTag, AreWrittenByRisingNumberWhateverTheOrderTheyCameIn) {
  EXPECT_EQ(recoded<ApiVersionsResponse>("0000 01 00000000 02 03 01 01 01 08 0000000000000002", 3),
            "00000100000000"
            "02"
            "0108"
            "0000000000000002"
            "030101");
}

TEST(KnownTag, EqualToItsDefaultIsNotWritten) {
  EXPECT_EQ(recoded<ApiVersionsResponse>("0000 01 00000000 01 01 08 ffffffffffffffff", 3), "0000010000000000");
}

TEST(KnownTag, WhoseValueDoesNotEndWhereItsSizeSaysIsMalformed) {
  EXPECT_EQ(error_of<ApiVersionsResponse>("0000 01 00000000 01 01 07 0000000000000002", 3), kMalformed);
  EXPECT_EQ(error_of<ApiVersionsResponse>("0000 01 00000000 01 01 09 0000000000000002 00", 3), kMalformed);
}

TEST(KnownTag, OfALaterVersionIsMalformed) {
  // high_watermark is tag 1 of a Fetch partition from version 18 on.
  const std::string request =
      "00000000 00000000 00000000 00 00000000 00000000 02 00000000000000000000000000000000 02 00000000 "
      "00000000 0000000000000000 00000000 0000000000000000 00000000 "
      "01 01 08 0000000000000005 00 01 01 00";
  EXPECT_EQ(error_of<FetchRequest>(request, 17), kMalformed);
  EXPECT_EQ(error_of<FetchRequest>(request, 18), kFine);
}

TEST(FieldOfALaterVersion, HasItsDefaultAfterDecoding) {
  const Bytes bytes = from_hex("ffffffff").value();
  Arena arena;
  Reader in(bytes);
  MetadataRequest request;
  request.allow_auto_topic_creation = false;
  ASSERT_TRUE(decode(in, 3, arena, request).has_value());
  EXPECT_TRUE(request.allow_auto_topic_creation) << "true by default, and nothing is left of an earlier message";
}

TEST(Version, OutsideTheRangeIsAnErrorOfItsOwn) {
  for (const std::int16_t version : {std::int16_t{-1}, std::int16_t{3}, std::int16_t{19}})
    EXPECT_EQ(error_of<FetchRequest>("00", version), make_error_code(Errc::unsupported_version)) << version;
}

TEST(SurplusBytes, AreLeftToTheCaller) {
  const Bytes bytes = from_hex("ffffffff aabb").value();
  Arena arena;
  Reader in(bytes);
  MetadataRequest request;
  ASSERT_TRUE(decode(in, 1, arena, request).has_value());
  EXPECT_EQ(in.remaining(), 2U);
}

}  // namespace
}  // namespace braid::protocol
