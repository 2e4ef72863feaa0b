// Counts what a loop allocates for each Produce and Fetch once all has warmed up: session, handler, lane, a real log
// over files in memory, and the answer. The log's own threads are not counted; their work is by the group.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <memory>
#include <optional>

#include "broker/api/test_requests.h"
#include "broker/net/session.h"
#include "protocol/base/test_allocations.h"
#include "protocol/messages/01_fetch.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/env/memory_file_system.h"

namespace braid::broker {
namespace {

using protocol::Bytes;
using protocol::MutableBytes;

constexpr std::size_t kWarmUpRounds = 200;
constexpr std::size_t kRounds = 2000;

storage::CommitLogOptions options() {
  storage::CommitLogOptions options;
  options.new_store = {.layout = 1,
                       .store = protocol::uuid_from_halves(1, 2),
                       .cluster = protocol::uuid_from_halves(3, 4),
                       .seed = 1,
                       .file_bytes = 64 << 20,
                       .unsynced_bytes_max = 1 << 20};
  return options;
}

Bytes framed(const Bytes& body) {
  Bytes frame(4 + body.size());
  protocol::Writer(MutableBytes(frame).first(4)).i32(static_cast<std::int32_t>(body.size()));
  std::ranges::copy(body, frame.begin() + 4);
  return frame;
}

/// A client that sends the same request whenever the one before is answered, on the node's own loop.
class Client final : public ReplySink, public std::enable_shared_from_this<Client> {
 public:
  Client(TestNode& node, Bytes request)
      : loop_(node.node().shard.lane().loop()),
        dispatcher_(served_apis(), node.facts(), node.node()),
        session_(settings_, dispatcher_, {}),
        request_(std::move(request)),
        scratch_(request_) {}

  /// Allocations of kRounds requests.
  std::size_t run() {
    session_.identify({weak_from_this(), &loop_}, "PLAINTEXT", "127.0.0.1");
    boost::asio::post(loop_, [this] { step(); });
    loop_.restart();
    loop_.run();
    return allocations_;
  }

  void complete(ReplySlot slot, Completion completion) override {
    session_.complete(slot, std::move(completion), protocol::Instant{});
  }
  void took_effect(ReplySlot slot) override { session_.took_effect(slot); }

 private:
  void step() {
    if (take_answer() && ++answered_ == kWarmUpRounds) counted_.emplace();
    if (answered_ == kWarmUpRounds + kRounds) {
      allocations_ = counted_->allocations();
      return loop_.stop();
    }
    if (session_.replies().in_flight() == 0) {
      std::ranges::copy(request_, scratch_.begin());
      session_.received_elsewhere(scratch_, protocol::Instant{});
      protocol::check(!session_.ending(), "the request is one");
    }
    boost::asio::post(loop_, [this] { step(); });
  }

  bool take_answer() {
    if (!session_.replies().has_output()) return false;
    std::array<protocol::ByteView, 64> ready;
    std::size_t bytes = 0;
    for (std::size_t i = 0, count = session_.replies().gather(ready); i < count; ++i) bytes += ready[i].size();
    session_.sent(bytes, protocol::Instant{});
    return true;
  }

  boost::asio::io_context& loop_;
  const ConnectionSettings settings_{1 << 20, std::nullopt, std::chrono::minutes(1), std::nullopt, std::nullopt};
  Dispatcher dispatcher_;
  Session session_;
  const Bytes request_;
  Bytes scratch_;
  std::size_t answered_ = 0;
  std::size_t allocations_ = 0;
  std::optional<protocol::AllocationCount> counted_;
};

class SessionAllocations : public testing::Test {
 protected:
  void SetUp() override {
    if (!protocol::AllocationCount::available()) GTEST_SKIP() << "a sanitizer owns the allocator";
    auto opened = storage::CommitLogStore::open(files_, options(), {});
    ASSERT_TRUE(opened.has_value());
    store_ = *std::move(opened);
    node_ = std::make_unique<TestNode>(TestNode::Settings{}, store_.get());
    create_topic(*node_, "t");
  }
  void TearDown() override { node_.reset(); }

  storage::MemoryFileSystem files_;
  std::unique_ptr<storage::CommitLogStore> store_;
  std::unique_ptr<TestNode> node_;
};

// What the log prepares ahead, and what its queues grow by, is by the megabyte and not by the request.
constexpr std::size_t kByTheMegabyte = kRounds / 50;
constexpr std::size_t kOfOneFetchMax = 4;

TEST_F(SessionAllocations, AreNoneForAProduce) {
  const auto client = std::make_shared<Client>(*node_, framed(produce_frame(batch_of_values({"value"}))));
  const std::size_t allocations = client->run();
  RecordProperty("allocations", std::to_string(allocations));
  EXPECT_LE(allocations, kByTheMegabyte) << "of " << kRounds << " requests";
}

TEST_F(SessionAllocations, AreFewForAFetch) {
  for (int i = 0; i < 10; ++i) ASSERT_EQ(produce(*node_, batch_of_values({"value"})).error, protocol::ErrorCode::kNone);
  protocol::FetchRequest::FetchPartition partition;
  partition.partition_max_bytes = 1 << 20;
  const protocol::FetchRequest::FetchTopic topic{.topic = "t", .partitions = std::span(&partition, 1)};
  protocol::FetchRequest request;
  request.max_bytes = 1 << 20;
  request.topics = std::span(&topic, 1);
  const auto client = std::make_shared<Client>(*node_, framed(frame_of(request, 12)));
  const std::size_t allocations = client->run();
  EXPECT_LE(allocations, kRounds * kOfOneFetchMax + kByTheMegabyte) << "of " << kRounds << " requests";
}

}  // namespace
}  // namespace braid::broker
