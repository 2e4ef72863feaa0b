#include "broker/api/produce_wait.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/messages/00_produce.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::ProduceResponse;
using storage::Durability;
using storage::LogPosition;

}  // namespace

void ProduceWait::start(Shard& shard, ReplyPromise promise, const ReplyHead& head, Reply reply, LogPosition written,
                        LogPosition synced, std::int32_t timeout_ms) {
  const storage::Progress progress = shard.store().progress();
  const bool for_written = written > progress.written;
  const bool for_synced = synced > progress.synced;
  if (!for_written && !for_synced) return promise.complete(std::move(reply));
  auto* const wait = new ProduceWait(std::move(promise), head, std::move(reply));  // deletes itself
  wait->left_ = (for_written ? 1 : 0) + (for_synced ? 1 : 0);
  if (for_written) shard.await(Durability::kWritten, written, *wait);
  if (for_synced) shard.await(Durability::kSynced, synced, *wait);
  if (timeout_ms >= 0) shard.deadlines().add(*wait, shard.clock().now() + std::chrono::milliseconds(timeout_ms));
}

void ProduceWait::acknowledged(bool reached) {
  all_reached_ = all_reached_ && reached;
  if (--left_ > 0) return;
  const std::unique_ptr<ProduceWait> self(this);
  if (answered_) return;
  promise_.complete(all_reached_ ? std::move(reply_) : with_error(head_, reply_, ErrorCode::kKafkaStorageError));
}

void ProduceWait::passed() {
  answered_ = true;
  promise_.complete(with_error(head_, reply_, ErrorCode::kRequestTimedOut));
}

Reply with_error(const ReplyHead& head, const Reply& reply, ErrorCode error) {
  protocol::Arena arena;
  protocol::Reader in(protocol::ByteView(reply.frame).subspan(reply_header_bytes(head)));
  ProduceResponse response;
  protocol::check(protocol::decode(in, head.version, arena, response).has_value(), "an answer of ours can be read");
  const auto topics = arena.array<ProduceResponse::TopicProduceResponse>(response.responses.size());
  std::ranges::copy(response.responses, topics.begin());
  for (auto& topic : topics) {
    const auto partitions = arena.array<ProduceResponse::PartitionProduceResponse>(topic.partition_responses.size());
    std::ranges::copy(topic.partition_responses, partitions.begin());
    for (auto& partition : partitions) {
      if (partition.error_code != ErrorCode::kNone) continue;
      partition.error_code = error;
      partition.base_offset = partition.log_append_time_ms = partition.log_start_offset = -1;
    }
    topic.partition_responses = partitions;
  }
  response.responses = topics;
  return make_reply(head, response);
}

}  // namespace braid::broker
