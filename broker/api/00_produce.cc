// Produce, key 0, versions 3-13 (0-2 are advertised and refused: older librdkafka switches compression off otherwise).
//
// - Errors are per partition; one bad batch keeps no other from being stored. Exactly one batch a partition, judged as
//   protocol/records/batch_validation says: nothing of a refused one is stored.
// - A batch is stored as it came, offset and leader epoch stamped; only what Kafka itself rewrites is sealed anew: a
// wrong
//   maximum of timestamps, LogAppendTime, and another codec where compression.type asks for one.
// - Idempotent producers: one of the last five batches sent again is answered with its first offset; a gap is
//   OUT_OF_ORDER_SEQUENCE_NUMBER, an older epoch INVALID_PRODUCER_EPOCH.
// - acks 1 and -1 are answered when the high watermark has passed the records: they are on the disk (flush.mode=sync)
// or
//   written (async). acks 0 has no answer; any error closes the connection. Others: INVALID_REQUIRED_ACKS.
// - When the log has no room for now the request waits in the order of arrival, and its connection is not read on.
// - A compressed batch above 64 KiB is checked by a worker; what comes behind it on its connection waits until it is
//   appended, not until it is durable.
// - There are no transactions yet: a transactional batch without a transactional id is refused with the whole request,
//   with one it is INVALID_TXN_STATE.
// - 5 log start, 7 zstd allowed, 8 record errors, 13 topic ids in place of names.
#include "broker/api/00_produce.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

#include "broker/api/produce_run.h"
#include "broker/limits.h"
#include "protocol/records/record_batch.h"

namespace braid::broker {
namespace {

using protocol::ProduceRequest;

/// Waits for room in the log.
class ProduceInLine final : public RoomWaiter {
 public:
  explicit ProduceInLine(std::unique_ptr<ProduceRun> run) : run_(std::move(run)) {}
  bool try_again() override { return run_->append(); }

 private:
  const std::unique_ptr<ProduceRun> run_;
};

/// Lane: in the order of arrival.
bool append_in_turn(Shard& shard, ProduceRun& run) { return !shard.room_is_awaited() && run.append(); }

/// Whether a batch is too much work for a loop. What is no batch is found out quickly.
bool is_heavy(const ProduceRequest& request) {
  const auto heavy = [](const ProduceRequest::PartitionProduceData& data) {
    if (!data.records || data.records->size() <= kCompressedOnLoopBytesMax) return false;
    return protocol::RecordBatch(*data.records).codec() != protocol::Codec::kNone;
  };
  return std::ranges::any_of(request.topic_data,
                             [&](const auto& topic) { return std::ranges::any_of(topic.partition_data, heavy); });
}

/// Checks on a worker, then goes on on the lane. Nothing behind it on its connection may pass it.
protocol::Result<Answer> produce_with_a_worker(const RequestContext& context) {
  TRY(auto kept, keep<ProduceRequest>(context));
  Shard& shard = context.node.shard;
  const EffectNotice notice = kept->promise.effect_notice();
  auto run = std::make_shared<std::unique_ptr<ProduceRun>>(std::make_unique<ProduceRun>(context.node, std::move(kept)));
  context.node.workers.run([&shard, run, notice] {
    thread_local LoopTools tools;
    (*run)->check(tools);
    boost::asio::post(shard.lane().loop(), [&shard, run, notice] {
      if (!append_in_turn(shard, **run)) shard.await_room(std::make_unique<ProduceInLine>(std::move(*run)));
      notice.give();
    });
  });
  return Answer(Later{.holds_back = true});
}

}  // namespace

protocol::Result<Answer> answer_produce(RequestContext& context) {
  Node& node = context.node;
  Shard& shard = node.shard;
  ProduceRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  if (is_heavy(request)) return produce_with_a_worker(context);
  if (shard.lane().here()) {
    ProduceRun run(context, request);
    run.check(context.tools);
    if (context.arena.exhausted()) return make_error_code(protocol::Errc::too_large);
    if (append_in_turn(shard, run)) return Answer(Later{});
    TRY_DO(run.keep(context));
    shard.await_room(std::make_unique<ProduceInLine>(std::make_unique<ProduceRun>(std::move(run))));
    return Answer(Later{});
  }
  TRY(auto kept, keep<ProduceRequest>(context));
  auto run = std::make_shared<std::unique_ptr<ProduceRun>>(std::make_unique<ProduceRun>(node, std::move(kept)));
  (*run)->check(context.tools);
  shard.lane().run([&shard, run] {
    if (!append_in_turn(shard, **run)) shard.await_room(std::make_unique<ProduceInLine>(std::move(*run)));
  });
  return Answer(Later{});
}

}  // namespace braid::broker
