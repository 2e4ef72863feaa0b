// Counts calls of operator new while messages are decoded and encoded: in steady state there are none.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "protocol/messages/00_produce.h"
#include "protocol/messages/01_fetch.h"
#include "protocol/messages/decoded.h"
#include "protocol/messages/encoded.h"

namespace {

std::atomic<int> allocations{0};

void* counted(std::size_t bytes) {
  ++allocations;
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace braid::protocol {
namespace {

constexpr int kWarmUpRounds = 3;
constexpr int kRounds = 100;

/// Allocations of `kRounds` rounds after some to warm up.
template <class Round>
int allocations_of(Round round) {
  for (int i = 0; i < kWarmUpRounds; ++i) round();
  const int before = allocations;
  for (int i = 0; i < kRounds; ++i) round();
  return allocations - before;
}

TEST(Allocations, AreCounted) {
  EXPECT_EQ(allocations_of([] { delete new int(1); }), kRounds);
}

TEST(DecodingAProduceRequest, AllocatesNothing) {
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
              0)
        << version;
  }
}

TEST(EncodingAFetchResponse, AllocatesNothingAndCopiesNoRecords) {
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
              0)
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
