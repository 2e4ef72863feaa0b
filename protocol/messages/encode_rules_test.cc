// What an encoder does with values that the version, or the wire, cannot say.
#include "protocol/messages/encode_fault.h"

#include <gtest/gtest.h>

#include <string>

#include "protocol/base/hex.h"
#include "protocol/base/limits.h"
#include "protocol/messages/00_produce.h"
#include "protocol/messages/01_fetch.h"
#include "protocol/messages/02_list_offsets.h"
#include "protocol/messages/03_metadata.h"
#include "protocol/messages/12_heartbeat.h"
#include "protocol/messages/15_describe_groups.h"
#include "protocol/messages/encoded.h"

namespace braid::protocol {
namespace {

/// The encoding, and how many faults it counted. Builds with assertions die at the first instead: then `text` is
/// "died".
template <class Message>
void expect_faults(const Message& message, std::int16_t version, std::uint64_t faults, const std::string& hex) {
#ifdef NDEBUG
  const std::uint64_t before = encode_fault_count();
  EXPECT_EQ(to_hex(encode_to_bytes(message, version)), hex);
  EXPECT_EQ(encode_fault_count() - before, faults);
#else
  if (faults == 0) {
    EXPECT_EQ(to_hex(encode_to_bytes(message, version)), hex);
  } else {
    EXPECT_DEATH(encode_to_bytes(message, version), "check failed");
  }
#endif
}

template <class Message>
std::string default_hex(std::int16_t version) {
  return to_hex(encode_to_bytes(Message{}, version));
}

TEST(AbsentField, WithItsDefaultIsSkipped) {
  expect_faults(FetchResponse{}, 4, 0, default_hex<FetchResponse>(4));
  EXPECT_EQ(default_hex<FetchResponse>(4), "0000000000000000");
}

TEST(AbsentField, WhenIgnorableIsSkippedWithAnyValue) {
  const ProduceResponse::PartitionProduceResponse partition{.log_start_offset = 5, .error_message = "no"};
  const ProduceResponse::PartitionProduceResponse without{};
  const auto response_of = [](const auto& topic) { return ProduceResponse{.responses = std::span(&topic, 1)}; };
  const ProduceResponse::TopicProduceResponse topic{.name = "t", .partition_responses = std::span(&partition, 1)};
  const ProduceResponse::TopicProduceResponse topic_without{.name = "t", .partition_responses = std::span(&without, 1)};
  expect_faults(response_of(topic), 3, 0, to_hex(encode_to_bytes(response_of(topic_without), 3)));
}

TEST(AbsentField, WithAnotherValueIsAFault) {
  expect_faults(FetchResponse{.session_id = 1}, 4, 1, default_hex<FetchResponse>(4));

  const FetchResponse::PartitionData partition{.preferred_read_replica = BrokerId{2}};
  const FetchResponse::FetchableTopicResponse topic{.topic = "t", .partitions = std::span(&partition, 1)};
  expect_faults(FetchResponse{.responses = std::span(&topic, 1)}, 4, 1,
                "00000000"
                "00000001"
                "000174"
                "00000001"
                "00000000"
                "0000"
                "0000000000000000"
                "ffffffffffffffff"
                "00000000"
                "ffffffff");

  const DescribeGroupsResponse::DescribedGroup group{.error_message = "gone"};
  const DescribeGroupsResponse::DescribedGroup group_without{};
  expect_faults(DescribeGroupsResponse{.groups = std::span(&group, 1)}, 5, 1,
                to_hex(encode_to_bytes(DescribeGroupsResponse{.groups = std::span(&group_without, 1)}, 5)));
}

TEST(AbsentStruct, WithAnotherValueIsAFault) {
  FetchResponse::PartitionData partition;
  partition.current_leader.leader_epoch = 3;
  const FetchResponse::FetchableTopicResponse topic{.topic = "t", .partitions = std::span(&partition, 1)};
  const FetchResponse::PartitionData plain{};
  const FetchResponse::FetchableTopicResponse topic_plain{.topic = "t", .partitions = std::span(&plain, 1)};
  expect_faults(FetchResponse{.responses = std::span(&topic, 1)}, 11, 1,
                to_hex(encode_to_bytes(FetchResponse{.responses = std::span(&topic_plain, 1)}, 11)));
}

TEST(NullThatTheVersionLacks, IsAFaultAndBecomesEmpty) {
  expect_faults(MetadataRequest{.topics = std::nullopt}, 0, 1, "00000000");
  expect_faults(MetadataRequest{.topics = std::nullopt}, 1, 0, "ffffffff");
}

TEST(StringAboveTheWiresLimit, IsAFaultAndCut) {
  const std::string longest(kStringBytesMax, 'g');
  const std::string longer = longest + "g";
  for (const std::int16_t version : {std::int16_t{0}, std::int16_t{4}}) {
    const std::string hex = to_hex(encode_to_bytes(HeartbeatRequest{.group_id = longest}, version));
    expect_faults(HeartbeatRequest{.group_id = longest}, version, 0, hex);
    expect_faults(HeartbeatRequest{.group_id = longer}, version, 1, hex);
  }
}

TEST(AVersionThatTheMessageLacks, IsABrokenInvariant) {
  EXPECT_DEATH(static_cast<void>(encode_to_bytes(FetchResponse{}, 3)), "a version that it has");
  EXPECT_DEATH(static_cast<void>(own_size(FetchResponse{}, 19)), "a version that it has");
}

TEST(ABufferOfTheWrongSize, IsABrokenInvariant) {
  Bytes buffer(encoded_size(FetchResponse{}, 4) + 1);
  EXPECT_DEATH(encode_exactly(FetchResponse{}, 4, buffer), "is the size written");
  EXPECT_DEATH(encode_exactly(FetchResponse{}, 4, MutableBytes(buffer).first(3)), "past the size");
}

}  // namespace
}  // namespace braid::protocol
