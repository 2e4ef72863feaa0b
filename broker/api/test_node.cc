#include "broker/api/test_node.h"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <map>
#include <utility>

namespace braid::broker {
namespace {

Config config_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  Config config;
  for (const auto& [key, value] : settings) config.set({key, value, ConfigOrigin::kCommandLine, "test"});
  return config;
}

}  // namespace

class TestNode::Sink final : public ReplySink {
 public:
  void complete(ReplySlot slot, Completion completion) override {
    completions.insert_or_assign(slot.value, std::move(completion));
  }
  void took_effect(ReplySlot slot) override { effects.push_back(slot.value); }
  std::map<std::uint64_t, Completion> completions;
  std::vector<std::uint64_t> effects;
};

TestNode::TestNode(const Settings& settings, storage::LogStore* store)
    : config_(config_of(settings)),
      request_bytes_(static_cast<std::size_t>(config_.integer("queued.max.request.bytes"))),
      fetch_bytes_(static_cast<std::size_t>(config_.integer("fetch.memory.bytes"))),
      lane_(loop_),
      shard_(lane_, store != nullptr ? *store : own_store_, clock_, config_.integer("producer.id.expiration.ms"),
             [] {}),
      metadata_(shard_, config_),
      topics_(shard_, metadata_, config_),
      producer_ids_(shard_, metadata_),
      fetch_sessions_({.slots = 10, .evictable_after_ms = 120'000}),
      workers_(1),
      groups_(shard_, metadata_, topics_, workers_, config_),
      node_{facts_,        config_,         clock_,   shard_,  metadata_,      topics_,
            producer_ids_, fetch_sessions_, workers_, groups_, request_bytes_, fetch_bytes_},
      dispatcher_(served_apis(), facts_, node_),
      sink_(std::make_shared<Sink>()),
      address_{sink_, &loop_} {
  facts_.node_id = 1;
  facts_.cluster_id = "test-cluster";
  facts_.addresses = {{"PLAINTEXT", "host", 9092}};
  shard_.start();
  std::optional<std::string> problem;
  boost::asio::co_spawn(loop_, metadata_.start(facts_.cluster_id),
                        [&](const std::exception_ptr&, std::string text) { problem = std::move(text); });
  run_until([&] { return problem.has_value(); });
  protocol::check(problem->empty(), "a node in memory starts");
  boost::asio::post(loop_, [this] { groups_.start(); });
}

TestNode::~TestNode() {
  workers_.stop();
  shard_.stop();
}

Completion TestNode::exchange(protocol::Bytes frame) {
  send(std::move(frame));
  return answer();
}

void TestNode::send(protocol::Bytes frame) {
  // As in a connection, the answer may come before dispatch() returns. The loop is not running: the job is its own.
  const ReplySlot slot{next_slot_++};
  boost::asio::post(loop_, [this, slot, moved = std::move(frame)]() mutable {
    Answer answered = dispatcher_.dispatch({client_, address_, slot}, moved);
    std::visit(
        [&]<class Kind>(Kind& kind) {
          if constexpr (!std::is_same_v<Kind, Later>) sink_->complete(slot, std::move(kind));
        },
        answered);
  });
}

std::optional<Completion> TestNode::answer_if_ready() {
  const auto found = sink_->completions.find(next_answer_);
  if (found == sink_->completions.end()) return std::nullopt;
  Completion completion = std::move(found->second);
  sink_->completions.erase(found);
  ++next_answer_;
  return completion;
}

std::size_t TestNode::waiting_answers() const { return sink_->completions.size(); }

Completion TestNode::answer() {
  run_until([&] { return sink_->completions.contains(next_answer_); });
  return *answer_if_ready();
}

protocol::Bytes joined(const Reply& reply) {
  protocol::Bytes bytes;
  std::array<protocol::ByteView, 64> pieces;
  while (bytes.size() < reply.size_bytes()) {
    const std::size_t count = pieces_of(reply, bytes.size(), pieces);
    for (std::size_t i = 0; i < count; ++i) bytes.insert(bytes.end(), pieces[i].begin(), pieces[i].end());
  }
  return bytes;
}

}  // namespace braid::broker
