// Answers that wait for the log: they come when it is durable, or with an error when that takes too long; and the sync
// that flush.ms asks for.
#include "broker/api/produce_wait.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <chrono>
#include <utility>
#include <vector>

#include "broker/api/test_requests.h"
#include "broker/runtime/system_clock.h"
#include "protocol/messages/00_produce.h"
#include "storage/memory_store.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using storage::LogPosition;
using storage::Offset;

class Answers final : public ReplySink {
 public:
  void complete(ReplySlot, Completion completion) override { all.push_back(std::move(completion)); }
  void took_effect(ReplySlot /*slot*/) override {}
  std::vector<Completion> all;
};

constexpr std::int16_t kVersion = 9;

ReplyHead head() { return {protocol::find_api(0), kVersion, 7}; }

/// An answer for two partitions, of which the first has an error.
Reply answer_of_two() {
  std::array<protocol::ProduceResponse::PartitionProduceResponse, 2> partitions;
  partitions[0].error_code = ErrorCode::kInvalidRecord;
  partitions[1].index = 1;
  partitions[1].base_offset = 5;
  protocol::ProduceResponse::TopicProduceResponse topic;
  topic.name = "t";
  topic.partition_responses = partitions;
  protocol::ProduceResponse response;
  response.responses = {&topic, 1};
  return make_reply(head(), response);
}

std::vector<ErrorCode> errors_in(const Completion& completion) {
  const protocol::Bytes bytes = joined(std::get<Reply>(completion));
  protocol::Arena arena;
  protocol::Reader in(protocol::ByteView(bytes).subspan(reply_header_bytes(head())));
  protocol::ProduceResponse response;
  protocol::check(protocol::decode(in, kVersion, arena, response).has_value(), "the answer is one");
  std::vector<ErrorCode> errors;
  for (const auto& partition : response.responses[0].partition_responses) errors.push_back(partition.error_code);
  return errors;
}

/// A shard whose store has no threads until it is started: nothing becomes durable.
class ProduceWaitTest : public testing::Test {
 protected:
  ProduceWaitTest() : lane_(loop_), shard_(lane_, store_, clock_, 1000, [] {}), answers_(std::make_shared<Answers>()) {}

  LogPosition create(std::uint64_t id) {
    const storage::PartitionSpec spec{
        .topic = protocol::uuid_from_halves(1, id), .name = "t", .queue = {}, .start = {}, .indexing = 0};
    return *shard_.create(spec, settings_);
  }
  void wait_for(LogPosition position, std::int32_t timeout_ms) {
    ProduceWait::start(shard_, ReplyPromise({answers_, &loop_}, ReplySlot{0}), head(), answer_of_two(), LogPosition{0},
                       position, timeout_ms);
  }
  template <class Done>
  void run_until(Done done) {
    while (!done()) loop_.run_one();
  }

  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> has_work_{loop_.get_executor()};
  SystemClock clock_;
  storage::MemoryStore store_;
  Lane lane_;
  Shard shard_;
  std::shared_ptr<Answers> answers_;
  std::shared_ptr<TopicSettings> settings_ = std::make_shared<TopicSettings>();
};

TEST_F(ProduceWaitTest, TimesOutWhereThereWasNoErrorAndAnswersOnce) {
  wait_for(create(1), 10);
  EXPECT_TRUE(answers_->all.empty());
  run_until([&] { return !answers_->all.empty(); });
  EXPECT_EQ(errors_in(answers_->all[0]), (std::vector{ErrorCode::kInvalidRecord, ErrorCode::kRequestTimedOut}));
  shard_.start();
  bool reached = false;
  const LogPosition later = create(2);
  boost::asio::co_spawn(loop_, shard_.reached(storage::Durability::kSynced, later),
                        [&](const std::exception_ptr&, bool good) { reached = good; });
  run_until([&] { return reached; });
  EXPECT_EQ(answers_->all.size(), 1U);
  shard_.stop();
}

TEST_F(ProduceWaitTest, IsAnsweredInTimeWhenTheLogIsDurable) {
  wait_for(create(1), 600'000);
  shard_.start();
  run_until([&] { return !answers_->all.empty(); });
  EXPECT_EQ(errors_in(answers_->all[0]), (std::vector{ErrorCode::kInvalidRecord, ErrorCode::kNone}));
  shard_.stop();
}

TEST_F(ProduceWaitTest, AnEarlierPlaceInTheLogIsAwaitedBehindALaterOne) {
  const LogPosition earlier = create(1);
  const LogPosition later = create(2);
  wait_for(later, 600'000);
  bool reached = false;
  boost::asio::co_spawn(loop_, shard_.reached(storage::Durability::kSynced, earlier),
                        [&](const std::exception_ptr&, bool good) { reached = good; });
  loop_.run_one();
  EXPECT_FALSE(reached);
  shard_.start();
  run_until([&] { return reached; });
  EXPECT_EQ(answers_->all.size(), 1U);
  shard_.stop();
}

}  // namespace
}  // namespace braid::broker
