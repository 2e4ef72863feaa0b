#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/api/dispatch.h"
#include "broker/api/node.h"
#include "broker/groups/group_coordinator.h"
#include "broker/partition/fetch_session.h"
#include "broker/runtime/byte_budget.h"
#include "broker/runtime/lane.h"
#include "broker/runtime/system_clock.h"
#include "broker/runtime/workers.h"
#include "protocol/base/bytes.h"
#include "storage/memory_store.h"

namespace braid::broker {

/// A node in memory with all that handlers reach, for tests: the calling thread is the lane. Its store has real
/// threads; exchange() runs the loop until the answer is there.
class TestNode {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;
  explicit TestNode(const Settings& settings = {}) : TestNode(settings, nullptr) {}
  /// On a store that outlives it, so that a second node can be started on what a first one left.
  TestNode(const Settings& settings, storage::LogStore* store);
  ~TestNode();
  TestNode(const TestNode&) = delete;
  TestNode& operator=(const TestNode&) = delete;

  Node& node() { return node_; }
  BrokerFacts& facts() { return facts_; }

  /// One request, from its api key on; what became of it.
  Completion exchange(protocol::Bytes frame);
  /// Sent and not waited for; answer() takes the oldest one's.
  void send(protocol::Bytes frame);
  std::optional<Completion> answer_if_ready();
  Completion answer();
  /// That are there and not taken.
  std::size_t waiting_answers() const;

  /// Encodes, sends, decodes: the request's header is made up. The answer lives until the next call.
  template <class Response, class Request>
  Response ask(const Request& request, std::int16_t version);

  template <class Done>
  void run_until(Done done) {
    while (!done()) loop_.run_one();
  }

 private:
  class Sink;

  Config config_;
  // What is left in the loop at its end still holds shares of these.
  ByteBudget request_bytes_;
  ByteBudget fetch_bytes_;
  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> has_work_{loop_.get_executor()};
  SystemClock clock_;
  BrokerFacts facts_;
  storage::MemoryStore own_store_;
  Lane lane_;
  Shard shard_;
  MetadataLog metadata_;
  Topics topics_;
  ProducerIds producer_ids_;
  FetchSessions fetch_sessions_;
  Workers workers_;
  GroupCoordinator groups_;
  Node node_;
  Dispatcher dispatcher_;
  ClientFacts client_;
  std::shared_ptr<Sink> sink_;
  ReplyAddress address_;
  std::uint64_t next_slot_ = 0;
  std::uint64_t next_answer_ = 0;
  protocol::Bytes last_;
  protocol::Arena arena_;
};

/// A request's frame from its api key on, with correlation id 7 and no client id.
template <class Request>
protocol::Bytes frame_of(const Request& request, std::int16_t version) {
  const protocol::Api& api = *protocol::find_api(Request::kApiKey);
  protocol::RequestHeader header;
  header.request_api_key = Request::kApiKey;
  header.request_api_version = version;
  header.correlation_id = 7;
  protocol::Bytes frame = protocol::encode_to_bytes(header, api.request_header_version(version));
  const protocol::Bytes body = protocol::encode_to_bytes(request, version);
  frame.insert(frame.end(), body.begin(), body.end());
  return frame;
}

/// The bytes of a reply in one piece.
protocol::Bytes joined(const Reply& reply);

template <class Response, class Request>
Response TestNode::ask(const Request& request, std::int16_t version) {
  const Completion completion = exchange(frame_of(request, version));
  const Reply* const reply = std::get_if<Reply>(&completion);
  protocol::check(reply != nullptr, "the request is answered");
  last_ = joined(*reply);
  arena_.reset();
  protocol::Reader in(
      protocol::ByteView(last_).subspan(reply_header_bytes({protocol::find_api(Request::kApiKey), version, 0})));
  Response response;
  protocol::check(protocol::decode(in, version, arena_, response).has_value() && in.remaining() == 0,
                  "the answer is one, to its last byte");
  return response;
}

}  // namespace braid::broker
