// Fetch as a client sees it: every partition answered, limits, the end of the log, sessions, waiting, leader epochs.
#include "broker/api/01_fetch.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <map>
#include <string>
#include <vector>

#include "broker/api/test_requests.h"
#include "protocol/messages/01_fetch.h"
#include "protocol/records/record_batch_iterator.h"
#include "protocol/records/test_batches.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::FetchRequest;
using protocol::FetchResponse;

struct Asked {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int32_t bytes_max = 1 << 20;
  std::int32_t leader_epoch = -1;
  std::string topic = "t";
};

struct Asking {
  std::vector<Asked> partitions{};
  std::int32_t session_id = 0;
  std::int32_t session_epoch = -1;
  std::vector<std::int32_t> forgotten{};
  std::int16_t version = 12;
  std::int32_t wait_ms = 0;
  std::int32_t bytes_min = 1;
  std::int32_t bytes_max = 1 << 24;
  protocol::Uuid id{};  // from version 13 on
};

struct Told {
  ErrorCode error = ErrorCode::kNone;
  std::int64_t high_watermark = -1;
  std::int64_t stable = -1;
  std::int64_t start = -1;
  bool null_records = false;
  std::vector<std::string> values{};
};

struct Answered {
  ErrorCode error = ErrorCode::kNone;
  std::int32_t session_id = 0;
  std::map<std::int32_t, Told> partitions{};
};

std::vector<std::string> values_in(protocol::ByteView records) {
  std::vector<std::string> values;
  while (!records.empty()) {
    const protocol::RecordBatch batch(records);
    const std::size_t size = protocol::kBatchPrefixBytes + static_cast<std::size_t>(batch.batch_length());
    for (const auto& record : protocol::read_owned(records.first(size))) values.push_back(record.value.value_or("-"));
    records = records.subspan(size);
  }
  return values;
}

/// Calls `use` with the request while what it borrows lives.
template <class Use>
auto with_request(const Asking& asking, Use use) {
  std::vector<FetchRequest::FetchTopic> topics;
  std::vector<FetchRequest::FetchPartition> partitions(asking.partitions.size());
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const Asked& asked = asking.partitions[i];
    partitions[i].partition = asked.partition;
    partitions[i].fetch_offset = asked.offset;
    partitions[i].partition_max_bytes = asked.bytes_max;
    partitions[i].current_leader_epoch = asked.leader_epoch;
    auto& topic = topics.emplace_back();
    if (asking.version >= 13) {
      topic.topic_id = asking.id;
    } else {
      topic.topic = asked.topic;
    }
    topic.partitions = {&partitions[i], 1};
  }
  FetchRequest::ForgottenTopic forgotten;
  forgotten.topic = "t";
  forgotten.partitions = asking.forgotten;
  FetchRequest request;
  request.max_wait_ms = asking.wait_ms;
  request.min_bytes = asking.bytes_min;
  request.max_bytes = asking.bytes_max;
  request.session_id = asking.session_id;
  request.session_epoch = asking.session_epoch;
  request.topics = topics;
  if (!asking.forgotten.empty()) request.forgotten_topics_data = {&forgotten, 1};
  return use(request);
}

Answered read_answer(const FetchResponse& response) {
  Answered answered{response.error_code, response.session_id, {}};
  for (const auto& topic : response.responses) {
    for (const auto& told : topic.partitions) {
      const auto records = told.records.value_or(protocol::ByteView{});
      answered.partitions[told.partition_index] =
          Told{told.error_code,       told.high_watermark,       told.last_stable_offset,
               told.log_start_offset, !told.records.has_value(), values_in(records)};
    }
  }
  return answered;
}

Answered fetch(TestNode& node, const Asking& asking) {
  return with_request(asking, [&](const FetchRequest& request) {
    return read_answer(node.ask<FetchResponse>(request, asking.version));
  });
}

void send_fetch(TestNode& node, const Asking& asking) {
  with_request(asking, [&](const FetchRequest& request) { node.send(frame_of(request, asking.version)); });
}

Answered decoded(const Completion& completion, std::int16_t version) {
  const protocol::Bytes bytes = joined(std::get<Reply>(completion));
  protocol::Arena arena;
  protocol::Reader in(protocol::ByteView(bytes).subspan(reply_header_bytes({protocol::find_api(1), version, 0})));
  FetchResponse response;
  protocol::check(protocol::decode(in, version, arena, response).has_value(), "the answer is one");
  return read_answer(response);
}

void store(TestNode& node, const std::vector<std::string>& values, std::int32_t partition = 0) {
  ASSERT_EQ(produce(node, batch_of_values(values), {.partition = partition}).error, ErrorCode::kNone);
}

TEST(Fetch, AnswersEveryPartitionThatAFullFetchAsksFor) {
  TestNode node;
  create_topic(node, "t", 50);
  store(node, {"only"}, 17);
  Asking asking;
  for (std::int32_t i = 0; i < 50; ++i) asking.partitions.push_back({.partition = i});
  const Answered answered = fetch(node, asking);
  ASSERT_EQ(answered.partitions.size(), 50U);
  for (const auto& [index, told] : answered.partitions) {
    EXPECT_EQ(told.error, ErrorCode::kNone);
    EXPECT_FALSE(told.null_records);
    EXPECT_EQ(told.values.size(), index == 17 ? 1U : 0U);
    EXPECT_EQ(told.high_watermark, index == 17 ? 1 : 0);
    EXPECT_EQ(told.stable, told.high_watermark);
    EXPECT_EQ(told.start, 0);
  }
}

TEST(Fetch, BeginsWithTheBatchThatHoldsTheOffset) {
  TestNode node;
  create_topic(node, "t");
  store(node, {"a", "b", "c"});
  store(node, {"d", "e"});
  const std::vector<std::string> all = {"a", "b", "c", "d", "e"};
  const std::vector<std::string> second = {"d", "e"};
  for (std::int64_t offset = 0; offset < 5; ++offset) {
    const Told told = fetch(node, {.partitions = {{.offset = offset}}}).partitions[0];
    EXPECT_EQ(told.values, offset < 3 ? all : second) << offset;
    EXPECT_EQ(told.high_watermark, 5);
  }
}

TEST(Fetch, IsEmptyAtTheEndAndRefusedBeyondIt) {
  TestNode node;
  create_topic(node, "t");
  store(node, {"a"});
  const Told at_end = fetch(node, {.partitions = {{.offset = 1}}}).partitions[0];
  EXPECT_EQ(at_end.error, ErrorCode::kNone);
  EXPECT_TRUE(at_end.values.empty());
  EXPECT_FALSE(at_end.null_records);
  for (const std::int64_t offset : {std::int64_t{2}, std::int64_t{-1}, std::int64_t{1} << 62}) {
    const Told told = fetch(node, {.partitions = {{.offset = offset}}}).partitions[0];
    EXPECT_EQ(told.error, ErrorCode::kOffsetOutOfRange) << offset;
    EXPECT_EQ(told.high_watermark, -1);
    EXPECT_EQ(told.start, -1);
  }
}

TEST(Fetch, GivesTheFirstBatchWholeWhateverTheLimits) {
  TestNode node;
  create_topic(node, "t", 2);
  const std::string large(100'000, 'x');
  store(node, {large}, 0);
  store(node, {large}, 0);
  store(node, {large}, 1);
  const Answered answered = fetch(
      node,
      {.partitions = {{.partition = 0, .bytes_max = 1000}, {.partition = 1, .bytes_max = 1000}}, .bytes_max = 1000});
  EXPECT_EQ(answered.partitions.at(0).values.size(), 1U);
  EXPECT_TRUE(answered.partitions.at(1).values.empty()) << "only the first partition may go beyond";
}

TEST(Fetch, ChecksTheLeaderEpoch) {
  TestNode node;
  create_topic(node, "t");
  const auto error_for = [&](std::int32_t epoch) {
    return fetch(node, {.partitions = {{.leader_epoch = epoch}}}).partitions[0].error;
  };
  EXPECT_EQ(error_for(-1), ErrorCode::kNone);
  EXPECT_EQ(error_for(0), ErrorCode::kNone);
  EXPECT_EQ(error_for(1), ErrorCode::kUnknownLeaderEpoch);
}

TEST(Fetch, DoesNotKnowOtherTopics) {
  TestNode node;
  const protocol::Uuid topic = create_topic(node, "t");
  EXPECT_EQ(fetch(node, {.partitions = {{.topic = "none"}}}).partitions[0].error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(fetch(node, {.partitions = {{.partition = 9}}}).partitions[9].error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(fetch(node, {.partitions = {{}}, .version = 13, .id = topic}).partitions[0].error, ErrorCode::kNone);
  EXPECT_EQ(
      fetch(node, {.partitions = {{}}, .version = 13, .id = protocol::uuid_from_halves(1, 2)}).partitions[0].error,
      ErrorCode::kUnknownTopicId);
}

TEST(FetchSessions, TellOnlyWhatChangedAndLeaveOutWhatIsForgotten) {
  TestNode node;
  create_topic(node, "t", 3);
  const Answered first =
      fetch(node, {.partitions = {{.partition = 0}, {.partition = 1}, {.partition = 2}}, .session_epoch = 0});
  ASSERT_NE(first.session_id, 0);
  EXPECT_EQ(first.partitions.size(), 3U);
  const std::int32_t id = first.session_id;
  EXPECT_TRUE(fetch(node, {.session_id = id, .session_epoch = 1}).partitions.empty());
  store(node, {"a"}, 1);
  store(node, {"b"}, 2);
  const Answered third = fetch(node, {.session_id = id, .session_epoch = 2, .forgotten = {2}});
  ASSERT_EQ(third.partitions.size(), 1U);
  EXPECT_EQ(third.partitions.at(1).values, std::vector<std::string>{"a"});
  const Answered moved =
      fetch(node, {.partitions = {{.partition = 1, .offset = 1}}, .session_id = id, .session_epoch = 3});
  EXPECT_EQ(moved.error, ErrorCode::kNone);
  EXPECT_TRUE(moved.partitions.empty() || moved.partitions.at(1).values.empty());
}

TEST(FetchSessions, RefuseUnknownIdsWrongEpochsAndMixedNames) {
  TestNode node;
  const protocol::Uuid topic = create_topic(node, "t");
  EXPECT_EQ(fetch(node, {.session_id = 99, .session_epoch = 1}).error, ErrorCode::kFetchSessionIdNotFound);
  const std::int32_t id = fetch(node, {.partitions = {{}}, .session_epoch = 0}).session_id;
  EXPECT_EQ(fetch(node, {.session_id = id, .session_epoch = 2}).error, ErrorCode::kInvalidFetchSessionEpoch);
  EXPECT_EQ(fetch(node, {.session_id = id, .session_epoch = 1, .version = 13, .id = topic}).error,
            ErrorCode::kFetchSessionTopicIdError);
  EXPECT_EQ(fetch(node, {.session_id = id, .session_epoch = 1}).error, ErrorCode::kNone);
  const Answered closed = fetch(node, {.partitions = {{}}, .session_id = id, .session_epoch = -1});
  EXPECT_EQ(closed.error, ErrorCode::kNone);
  EXPECT_EQ(closed.session_id, 0);
  EXPECT_EQ(fetch(node, {.session_id = id, .session_epoch = 2}).error, ErrorCode::kFetchSessionIdNotFound);
}

constexpr std::int32_t kLongMs = 600'000;  // a test that waits so long has failed

TEST(FetchWait, EndsWithTheFirstRecord) {
  TestNode node;
  create_topic(node, "t");
  send_fetch(node, {.partitions = {{}}, .wait_ms = kLongMs});
  node.send(produce_frame(batch_of_values({"new"})));
  const Answered answered = decoded(node.answer(), 12);
  EXPECT_EQ(answered.partitions.at(0).values, std::vector<std::string>{"new"});
  static_cast<void>(node.answer());
}

TEST(FetchWait, GoesOnUntilThereAreEnoughBytes) {
  TestNode node;
  create_topic(node, "t");
  send_fetch(node, {.partitions = {{}}, .wait_ms = kLongMs, .bytes_min = 300});
  for (int i = 0; i < 5; ++i) node.send(produce_frame(batch_of_values({std::string(50, 'x')})));
  const Answered answered = decoded(node.answer(), 12);
  EXPECT_GE(answered.partitions.at(0).values.size(), 3U);
  for (int i = 0; i < 5; ++i) static_cast<void>(node.answer());
}

TEST(FetchWait, EndsAfterMaxWaitWithoutAnError) {
  TestNode node;
  create_topic(node, "t");
  const auto before = node.node().clock.now();
  const Told told = fetch(node, {.partitions = {{}}, .wait_ms = 20}).partitions[0];
  EXPECT_GE(node.node().clock.now() - before, std::chrono::milliseconds(20));
  EXPECT_EQ(told.error, ErrorCode::kNone);
  EXPECT_TRUE(told.values.empty());
}

TEST(FetchMemory, IsWaitedForWhenThereIsNone) {
  TestNode node;
  create_topic(node, "t");
  store(node, {"a"});
  ByteBudget& memory = node.node().fetch_bytes;
  memory.force(memory.limit_bytes());
  send_fetch(node, {.partitions = {{}}, .wait_ms = kLongMs});
  boost::asio::post(node.node().shard.lane().loop(), [&] {
    EXPECT_TRUE(memory.is_short());
    memory.give_back(memory.limit_bytes());
  });
  EXPECT_EQ(decoded(node.answer(), 12).partitions.at(0).values, std::vector<std::string>{"a"});
}

TEST(FetchMemory, IsNotWaitedForBeyondMaxWait) {
  TestNode node;
  create_topic(node, "t");
  store(node, {"a"});
  ByteBudget& memory = node.node().fetch_bytes;
  memory.force(memory.limit_bytes());
  const Told told = fetch(node, {.partitions = {{}}, .wait_ms = 20}).partitions[0];
  EXPECT_EQ(told.error, ErrorCode::kNone);
  EXPECT_EQ(told.high_watermark, 1);
  EXPECT_TRUE(told.values.empty());
  memory.give_back(memory.limit_bytes());
  EXPECT_EQ(fetch(node, {.partitions = {{}}, .wait_ms = 20}).partitions[0].values.size(), 1U);
}

TEST(FetchMemory, IsHeldByTheAnswerUntilItIsOver) {
  TestNode node;
  create_topic(node, "t");
  store(node, {std::string(5000, 'x')});
  ByteBudget& memory = node.node().fetch_bytes;
  {
    send_fetch(node, {.partitions = {{}}});
    const Completion answered = node.answer();
    EXPECT_GT(memory.used_bytes(), 5000U);
    EXPECT_LT(memory.used_bytes(), 6000U);
  }
  EXPECT_EQ(memory.used_bytes(), 0U);
}

TEST(FetchMemory, IsNotHeldWhileRecordsAreWaitedFor) {
  TestNode node;
  create_topic(node, "t");
  store(node, {std::string(5000, 'x')});
  send_fetch(node, {.partitions = {{}}, .wait_ms = kLongMs, .bytes_min = 6000});
  boost::asio::post(node.node().shard.lane().loop(), [&] { EXPECT_EQ(node.node().fetch_bytes.used_bytes(), 0U); });
  node.send(produce_frame(batch_of_values({std::string(1000, 'y')})));
  EXPECT_EQ(decoded(node.answer(), 12).partitions.at(0).values.size(), 2U);
  static_cast<void>(node.answer());
}

TEST(FetchWait, EndsAtOnceWhenAnyPartitionHasAnError) {
  TestNode node;
  create_topic(node, "t");
  const Answered answered = fetch(node, {.partitions = {{}, {.partition = 5}}, .wait_ms = kLongMs});
  EXPECT_EQ(answered.partitions.at(5).error, ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(answered.partitions.at(0).error, ErrorCode::kNone);
}

TEST(FetchWait, EndsWithAnErrorWhenTheTopicIsDeleted) {
  TestNode node;
  const protocol::Uuid topic = create_topic(node, "t");
  send_fetch(node, {.partitions = {{}}, .wait_ms = kLongMs});
  boost::asio::post(node.node().shard.lane().loop(), [&] {
    Shard& shard = node.node().shard;
    EXPECT_TRUE(shard.remove(*shard.find(topic, 0)).has_value());
  });
  EXPECT_EQ(decoded(node.answer(), 12).partitions.at(0).error, ErrorCode::kUnknownTopicOrPartition);
}

TEST(FetchWait, EndsWhenTheLogStartPassesTheOffset) {
  TestNode node;
  const protocol::Uuid topic = create_topic(node, "t");
  store(node, {"a", "b"});
  send_fetch(node, {.partitions = {{.offset = 0}}, .wait_ms = kLongMs, .bytes_min = 1 << 20});
  boost::asio::post(node.node().shard.lane().loop(), [&] {
    Shard& shard = node.node().shard;
    EXPECT_TRUE(shard.trim(*shard.find(topic, 0), storage::Offset{2}).has_value());
  });
  EXPECT_EQ(decoded(node.answer(), 12).partitions.at(0).error, ErrorCode::kOffsetOutOfRange);
}

}  // namespace
}  // namespace braid::broker
