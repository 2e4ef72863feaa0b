// Counts what is allocated while messages are decoded and encoded: in steady state there are none.
#include <gtest/gtest.h>

#include <vector>

#include "protocol/base/test_allocations.h"
#include "protocol/messages/00_produce.h"
#include "protocol/messages/01_fetch.h"
#include "protocol/messages/decoded.h"
#include "protocol/messages/encoded.h"

namespace braid::protocol {
namespace {

constexpr int kWarmUpRounds = 3;
constexpr std::size_t kRounds = 100;

/// Allocations of `kRounds` rounds after some to warm up.
template <class Round>
std::size_t allocations_of(Round round) {
  for (int i = 0; i < kWarmUpRounds; ++i) round();
  const AllocationCount counted;
  for (std::size_t i = 0; i < kRounds; ++i) round();
  return counted.allocations();
}

class Allocations : public testing::Test {
 protected:
  void SetUp() override {
    if (!AllocationCount::available()) GTEST_SKIP() << "a sanitizer owns the allocator";
  }
};

TEST_F(Allocations, AreCounted) {
  EXPECT_EQ(allocations_of([] {
              Bytes one(1);
              ASSERT_EQ(one.size(), 1U);
            }),
            kRounds);
}

TEST_F(Allocations, AreNoneForDecodingAProduceRequest) {
  const Bytes batch(16 * 1024);
  std::vector<ProduceRequest::PartitionProduceData> partitions(100);
  for (auto& partition : partitions) partition.records = ByteView(batch).first(100);
  partitions[0].records = batch;
  const ProduceRequest::TopicProduceData topic{.name = "orders", .partition_data = partitions};
  const ProduceRequest request{.acks = -1, .topic_data = std::span(&topic, 1)};
  for (const std::int16_t version : {std::int16_t{3}, std::int16_t{9}, std::int16_t{12}}) {
    const Bytes bytes = encode_to_bytes(request, version);
    Arena arena;
    EXPECT_EQ(allocations_of([&] {
                arena.reset();
                Reader in(bytes);
                ProduceRequest read;
                ASSERT_TRUE(decode(in, version, arena, read).has_value());
                ASSERT_EQ(read.topic_data[0].partition_data.size(), 100U);
              }),
              0U)
        << version;
  }
}

TEST_F(Allocations, AreNoneForEncodingAFetchResponseWhichCopiesNoRecords) {
  const Bytes batch(500);
  std::vector<FetchResponse::PartitionData> partitions(1000);
  for (auto& partition : partitions) partition.records = batch;
  const FetchResponse::FetchableTopicResponse topic{.topic = "orders", .partitions = partitions};
  const FetchResponse response{.responses = std::span(&topic, 1)};
  for (const std::int16_t version : {std::int16_t{4}, std::int16_t{12}, std::int16_t{18}}) {
    Bytes buffer(own_size(response, version));
    std::vector<Hole> holes;
    EXPECT_EQ(allocations_of([&] {
                holes.clear();
                const std::size_t own_bytes = own_size(response, version);
                ASSERT_EQ(own_bytes, buffer.size());
                encode_exactly(response, version, buffer, &holes);
              }),
              0U)
        << version;
    ASSERT_EQ(holes.size(), partitions.size());
    EXPECT_EQ(holes[0].bytes.data(), batch.data()) << "lent, not copied";
    EXPECT_EQ(buffer.size() + partitions.size() * batch.size(), encoded_size(response, version));
  }
}

TEST(Holes, FilledGiveTheSameBytesAsCopying) {
  Bytes batch(50);
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i] = static_cast<std::byte>(i);
  std::vector<FetchResponse::PartitionData> partitions(3);
  partitions[0].records = ByteView(batch).first(7);
  partitions[2].records = batch;
  const FetchResponse::FetchableTopicResponse topic{.topic = "orders", .partitions = partitions};
  const FetchResponse response{.responses = std::span(&topic, 1)};
  for (std::int16_t version = FetchResponse::kVersionMin; version <= FetchResponse::kVersionMax; ++version) {
    Bytes own(own_size(response, version));
    std::vector<Hole> holes;
    encode_exactly(response, version, own, &holes);
    Bytes gathered;
    std::size_t at = 0;
    for (const Hole& hole : holes) {
      gathered.insert(gathered.end(), own.begin() + static_cast<std::ptrdiff_t>(at),
                      own.begin() + static_cast<std::ptrdiff_t>(hole.at));
      gathered.insert(gathered.end(), hole.bytes.begin(), hole.bytes.end());
      at = hole.at;
    }
    gathered.insert(gathered.end(), own.begin() + static_cast<std::ptrdiff_t>(at), own.end());
    EXPECT_EQ(gathered, encode_to_bytes(response, version)) << version;
  }
}

}  // namespace
}  // namespace braid::protocol
