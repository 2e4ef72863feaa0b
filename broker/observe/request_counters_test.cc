// A queue of replies is driven through requests at made-up times; what it counts is read as a scrape reads it.
#include "broker/observe/request_counters.h"

#include <gtest/gtest.h>

#include <vector>

#include "broker/net/reply_queue.h"
#include "protocol/base/test_allocations.h"
#include "protocol/messages/00_produce.h"
#include "protocol/messages/01_fetch.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::Instant;
using std::chrono::milliseconds;

constexpr std::int16_t kProduce = 0;
constexpr std::int16_t kFetch = 1;
constexpr Instant kStart{std::chrono::hours(1)};

RequestTrack request(std::int16_t key, Instant started_at) {
  return {.key = key, .version = 9, .request_bytes = 100, .queued = milliseconds(1), .started_at = started_at};
}

Reply reply(std::size_t bytes) { return {protocol::Bytes(bytes), {}, {}, {}, {}}; }

RequestSum sum_of(const RequestCounters& counters, std::int16_t key, Instant now) {
  std::map<std::int16_t, RequestSum> by_key;
  counters.add_to(by_key, now);
  return by_key[key];
}

void expect_time(const RequestSum& sum, RequestPhase phase, double ms) {
  const double told = sum.times[static_cast<std::size_t>(phase)].quantile_ms(1);
  EXPECT_GT(told, ms) << static_cast<int>(phase);
  EXPECT_LE(told, ms * 1.25 + 0.002) << static_cast<int>(phase);
}

TEST(RequestCounters, DivideTheTimeOfARequestAmongItsPhases) {
  RequestCounters counters;
  ReplyQueue queue(counters);
  const ReplySlot first = queue.reserve(request(kProduce, kStart));
  const ReplySlot second = queue.reserve(request(kFetch, kStart));
  queue.handled(second, kStart + milliseconds(10));
  queue.fulfil(second, reply(50), kStart + milliseconds(30));
  queue.fulfil(first, reply(20), kStart + milliseconds(70));
  queue.handled(first, kStart + milliseconds(70));
  queue.sent(20, kStart + milliseconds(150));
  queue.sent(49, kStart + milliseconds(200));
  EXPECT_EQ(sum_of(counters, kFetch, kStart).requests.size(), 0U) << "a byte is missing";
  const Instant end = kStart + milliseconds(310);
  queue.sent(1, end);

  const RequestSum fetch = sum_of(counters, kFetch, end);
  EXPECT_EQ(fetch.requests, (std::map<std::int16_t, std::uint64_t>{{9, 1}}));
  EXPECT_EQ(fetch.request_bytes, 100U);
  EXPECT_EQ(fetch.response_bytes, 50U);
  expect_time(fetch, RequestPhase::kRequestQueue, 1);
  expect_time(fetch, RequestPhase::kLocal, 10);
  expect_time(fetch, RequestPhase::kRemote, 20);
  expect_time(fetch, RequestPhase::kResponseQueue, 120);
  expect_time(fetch, RequestPhase::kResponseSend, 160);
  expect_time(fetch, RequestPhase::kTotal, 311);
  const RequestSum produce = sum_of(counters, kProduce, end);
  expect_time(produce, RequestPhase::kLocal, 70);
  expect_time(produce, RequestPhase::kRemote, 0);
}

TEST(RequestCounters, CountARequestWithoutReplyWhenItsTurnHasCome) {
  RequestCounters counters;
  ReplyQueue queue(counters);
  const ReplySlot first = queue.reserve(request(kFetch, kStart));
  const ReplySlot second = queue.reserve(request(kProduce, kStart));
  queue.skip(second, kStart);
  EXPECT_EQ(sum_of(counters, kProduce, kStart).requests.size(), 0U);
  queue.fulfil(first, reply(1), kStart);
  queue.sent(1, kStart);
  EXPECT_EQ(sum_of(counters, kProduce, kStart).requests[9], 1U);
  EXPECT_EQ(sum_of(counters, kProduce, kStart).response_bytes, 0U);
}

TEST(RequestCounters, AllocateNothingOnceAnApiWasSeen) {
  if (!protocol::AllocationCount::available()) GTEST_SKIP() << "a sanitizer owns the allocator";
  RequestCounters counters;
  ErrorTally errors;
  errors.add(ErrorCode::kNotLeaderOrFollower);
  counters.done(request(kProduce, kStart), 10, errors, kStart);
  const protocol::AllocationCount counted;
  for (int i = 0; i < 1000; ++i) counters.done(request(kProduce, kStart), 10, errors, kStart + milliseconds(i));
  EXPECT_EQ(counted.allocations(), 0U);
}

TEST(ErrorTally, CountsWhatIsInTheAnswersOfEachPartition) {
  using protocol::ProduceResponse;
  std::vector<ProduceResponse::PartitionProduceResponse> partitions(4);
  partitions[1].error_code = partitions[3].error_code = ErrorCode::kMessageTooLarge;
  const ProduceResponse::TopicProduceResponse topic{.name = "t", .partition_responses = partitions};
  ProduceResponse response;
  response.responses = std::span(&topic, 1);
  ErrorTally tally;
  tally_errors(response, tally);
  ASSERT_EQ(tally.kinds().size(), 1U);
  EXPECT_EQ(tally.kinds()[0].code, ErrorCode::kMessageTooLarge);
  EXPECT_EQ(tally.kinds()[0].count, 2U);

  protocol::FetchResponse fetch;
  fetch.error_code = ErrorCode::kFetchSessionIdNotFound;
  tally_errors(fetch, tally);
  EXPECT_EQ(tally.kinds().size(), 2U);
}

TEST(ErrorTally, AddsWhatDoesNotFitToItsLastKind) {
  ErrorTally tally;
  for (std::int16_t code = 0; code < 10; ++code) tally.add(ErrorCode(code));
  std::uint32_t all = 0;
  for (const ErrorTally::Kind& kind : tally.kinds()) all += kind.count;
  EXPECT_EQ(all, 9U);
}

}  // namespace
}  // namespace braid::broker
