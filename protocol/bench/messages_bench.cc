// Decoding a Produce request and encoding a Fetch response, beside their floors: the CRC that the batch costs anyway,
// and a copy of as many bytes as the encoder writes itself.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "protocol/base/arena.h"
#include "protocol/base/crc32c.h"
#include "protocol/messages/00_produce.h"
#include "protocol/messages/01_fetch.h"
#include "protocol/messages/decoded.h"
#include "protocol/messages/encoded.h"

namespace braid::protocol {
namespace {

constexpr std::size_t kBatchBytes = 16 * 1024;
constexpr std::size_t kFetchPartitions = 1000;
constexpr std::int16_t kProduceVersion = 13;
constexpr std::int16_t kFetchVersion = 18;

Bytes produce_request(const Bytes& batch) {
  const ProduceRequestPartitionProduceData partition{.index = 3, .records = ByteView(batch)};
  const ProduceRequestTopicProduceData topic{.topic_id = uuid_from_halves(1, 2), .partition_data = {&partition, 1}};
  ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = 30'000;
  request.topic_data = {&topic, 1};
  return encode_to_bytes(request, kProduceVersion);
}

void decode_produce_of_one_16_kib_batch(benchmark::State& state) {
  const Bytes batch(kBatchBytes);
  const Bytes frame = produce_request(batch);
  Arena arena;
  for (auto step : state) {
    arena.reset();
    ProduceRequest request;
    Reader in(frame);
    if (decode(in, kProduceVersion, arena, request).has_error())
      return state.SkipWithError("the request does not decode");
    benchmark::DoNotOptimize(request.topic_data.data());
  }
}

void floor_crc_of_16_kib(benchmark::State& state) {
  const Bytes batch(kBatchBytes);
  for (auto step : state) benchmark::DoNotOptimize(crc32c(batch));
}

/// A response of 1,000 partitions in 10 topics, each with records that stay where they are.
struct FetchResponseOfMany {
  FetchResponseOfMany() : batch(1024), partitions(kFetchPartitions), topics(10) {
    const std::size_t partitions_a_topic = kFetchPartitions / topics.size();
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      partitions[i].partition_index = static_cast<std::int32_t>(i % partitions_a_topic);
      partitions[i].high_watermark = 1'000'000;
      partitions[i].records = ByteView(batch);
    }
    for (std::size_t i = 0; i < topics.size(); ++i) {
      topics[i].topic_id = uuid_from_halves(1, i);
      topics[i].partitions = std::span(partitions).subspan(i * partitions_a_topic, partitions_a_topic);
    }
    response.responses = topics;
  }

  Bytes batch;
  std::vector<FetchResponsePartitionData> partitions;
  std::vector<FetchResponseFetchableTopicResponse> topics;
  FetchResponse response;
};

void encode_fetch_of_1000_partitions(benchmark::State& state) {
  const FetchResponseOfMany given;
  Bytes out;
  std::vector<Hole> holes;
  for (auto step : state) {
    holes.clear();
    out.resize(own_size(given.response, kFetchVersion));
    encode_exactly(given.response, kFetchVersion, out, &holes);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["own_bytes"] = static_cast<double>(out.size());
  state.counters["holes"] = static_cast<double>(holes.size());
}

void floor_copy_of_the_same_bytes(benchmark::State& state) {
  const FetchResponseOfMany given;
  const Bytes from(own_size(given.response, kFetchVersion));
  Bytes to(from.size());
  for (auto step : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.counters["own_bytes"] = static_cast<double>(from.size());
}

BENCHMARK(decode_produce_of_one_16_kib_batch);
BENCHMARK(floor_crc_of_16_kib);
BENCHMARK(encode_fetch_of_1000_partitions);
BENCHMARK(floor_copy_of_the_same_bytes);

}  // namespace
}  // namespace braid::protocol
