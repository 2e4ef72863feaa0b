// Fetch, key 1, versions 4-18: records of many partitions, now or when there are some.
//
// - Answered at once when there is enough (min_bytes), when any partition has an error or another history than the
//   client, or when the client does not want to wait; else when enough became readable, or max_wait_ms has passed.
//   Bytes are counted up to the high watermark.
// - Whole batches only, the first of them the one that holds the offset. The first batch of the first partition that
// has
//   any comes whatever the limits; apart from it max_bytes, the partition's bytes and fetch.max.bytes hold (KIP-74).
// - "Nothing" is an empty field, never null. Beside an error high watermark and log start are -1.
// - Sessions (KIP-227): (0, 0) asks for one and gets one if there is a place; (id, n) goes on with the n-th request and
//   names only what changes, and the answer holds only partitions with records, an error, or other offsets than told
//   before; (id, 0) begins anew; (id, -1) ends it. What was answered comes last next time, so that nobody starves.
// - A replica's fetch is served like a consumer's. There are no transactions yet: isolation levels see the same, and
//   read_committed gets an empty list of aborted ones.
// - 5 log start, 7 sessions, 9 leader epochs, 12 the epoch of the last record, 13 topic ids in place of names. Below 6
// a
//   storage error is shown as "not the leader".
#include "broker/api/01_fetch.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "broker/api/fetch_run.h"
#include "broker/api/node.h"
#include "broker/runtime/recycled_memory.h"
#include "protocol/messages/01_fetch.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::FetchRequest;
using protocol::FetchResponse;

constexpr std::int16_t kSessionsFrom = 7;
constexpr std::int16_t kTopicIdsFrom = 13;
constexpr std::int32_t kNoSession = 0;
constexpr std::int32_t kFirstEpoch = 0;
constexpr std::int32_t kLastEpoch = -1;
constexpr std::int8_t kReadCommitted = 1;

FetchKey key_of(const FetchRequest::FetchTopic& topic, std::int32_t partition) {
  return {topic.topic_id, std::string(topic.topic), partition};
}

void take_partitions(const FetchRequest& request, FetchSession& session) {
  for (const FetchRequest::FetchTopic& topic : request.topics) {
    for (const FetchRequest::FetchPartition& asked : topic.partitions) {
      session.ask(key_of(topic, asked.partition), {storage::Offset{asked.fetch_offset}, asked.partition_max_bytes,
                                                   asked.current_leader_epoch, asked.last_fetched_epoch});
    }
  }
  for (const FetchRequest::ForgottenTopic& topic : request.forgotten_topics_data) {
    for (const std::int32_t partition : topic.partitions)
      session.forget({topic.topic_id, std::string(topic.topic), partition});
  }
}

/// The session that a request is about, and how much of it the answer must hold.
struct ChosenSession {
  ErrorCode error = ErrorCode::kNone;
  std::shared_ptr<FetchSession> session;
  bool complete = true;
};

ChosenSession without_session(bool by_id) {
  return {ErrorCode::kNone, std::allocate_shared<FetchSession>(RecyclingAllocator<FetchSession>(), kNoSession, by_id),
          true};
}

ChosenSession go_on(const FetchRequest& request, FetchSessions& sessions, bool by_id) {
  auto session = sessions.find(request.session_id);
  if (session == nullptr) return {ErrorCode::kFetchSessionIdNotFound, nullptr, true};
  if (session->busy || session->next_epoch() != request.session_epoch)
    return {ErrorCode::kInvalidFetchSessionEpoch, nullptr, true};
  if (session->by_id() != by_id) return {ErrorCode::kFetchSessionTopicIdError, nullptr, true};
  session->count_epoch();
  return {ErrorCode::kNone, std::move(session), false};
}

ChosenSession choose_session(const FetchRequest& request, std::int16_t version, FetchSessions& sessions,
                             protocol::Instant now) {
  const bool by_id = version >= kTopicIdsFrom;
  if (version < kSessionsFrom) return without_session(by_id);
  if (request.session_epoch != kFirstEpoch && request.session_epoch != kLastEpoch)
    return go_on(request, sessions, by_id);
  if (request.session_id != kNoSession) sessions.remove(request.session_id);
  if (request.session_epoch == kLastEpoch || request.topics.empty()) return without_session(by_id);
  auto session = sessions.create(by_id, now);
  if (session == nullptr) return without_session(by_id);
  return {ErrorCode::kNone, std::move(session), true};
}

FetchLimits limits_of(const FetchRequest& request, const Config& config) {
  FetchLimits limits;
  limits.wait_ms_max = request.max_wait_ms;
  limits.bytes_max = std::clamp<std::int64_t>(request.max_bytes, 0, config.integer("fetch.max.bytes"));
  limits.bytes_min = std::min<std::int64_t>(request.min_bytes, limits.bytes_max);
  limits.committed_only = request.isolation_level == kReadCommitted;
  return limits;
}

/// On the lane; keeps nothing of the request.
void fetch(Node& node, const ReplyHead& head, ReplyPromise promise, const FetchRequest& request) {
  const protocol::Instant now = node.clock.now();
  ChosenSession chosen = choose_session(request, head.version, node.fetch_sessions, now);
  if (chosen.error != ErrorCode::kNone) {
    FetchResponse response;
    response.error_code = chosen.error;
    promise.complete(make_reply(head, response));
    return;
  }
  chosen.session->used_at = now;
  take_partitions(request, *chosen.session);
  std::allocate_shared<FetchRun>(RecyclingAllocator<FetchRun>(), node, head, std::move(promise),
                                 std::move(chosen.session), chosen.complete, limits_of(request, node.config))
      ->start();
}

}  // namespace

protocol::Result<Answer> answer_fetch(RequestContext& context) {
  Node& node = context.node;
  if (node.shard.lane().here()) {
    FetchRequest request;
    protocol::Reader in(context.body);
    TRY_DO(protocol::decode(in, context.version(), context.arena, request));
    fetch(node, context.head(), context.promise(), request);
    return Answer(Later{});
  }
  TRY(std::shared_ptr<KeptRequest<FetchRequest>> kept, keep<FetchRequest>(context));
  node.shard.lane().run([&node, kept] { fetch(node, kept->head, std::move(kept->promise), kept->message); });
  return Answer(Later{});
}

}  // namespace braid::broker
