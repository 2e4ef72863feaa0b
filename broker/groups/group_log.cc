#include "broker/groups/group_log.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "broker/groups/limits.h"
#include "broker/observe/log.h"
#include "protocol/base/check.h"
#include "protocol/records/record_batch_builder.h"
#include "protocol/records/record_iterator.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using protocol::Result;
using storage::Offset;
using storage::StorageErrc;

/// Records that fit one batch together, one at least.
std::size_t batch_of(std::span<const GroupRecord> records) {
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (count < records.size()) {
    bytes += records[count].size_bytes();
    if (count > 0 && bytes > kGroupDecisionBytesMax) break;
    ++count;
  }
  return count;
}

std::optional<protocol::ByteView> value_of(const GroupRecord& record) {
  return record.value ? std::optional<protocol::ByteView>(*record.value) : std::nullopt;
}

}  // namespace

GroupLog::GroupLog(Shard& shard, Partition& partition, const GroupLogSettings& settings,
                   std::function<void()> room_made)
    : shard_(shard),
      partition_(partition),
      settings_(settings),
      room_made_(std::move(room_made)),
      machine_(settings.groups) {}

// -- decisions

void GroupLog::write(GroupOutcome outcome) {
  protocol::check(!decision_waits(), "one decision of a log waits at a time");
  if (finish(outcome)) return;
  waiting_ = std::move(outcome);
  asio::co_spawn(shard_.lane().loop(), finish_waiting(), asio::detached);
}

bool GroupLog::finish(GroupOutcome& outcome) {
  while (!outcome.records.empty()) {
    const auto appended = append_some(outcome.records);
    if (appended.has_error()) {
      disk_full_ = appended.error() == make_error_code(StorageErrc::disk_full);
      return false;
    }
    outcome.records.erase(outcome.records.begin(), outcome.records.begin() + static_cast<std::ptrdiff_t>(*appended));
  }
  disk_full_ = false;
  release(joins_, outcome.joins);
  release(syncs_, outcome.syncs);
  compact_if_worth_it();
  return true;
}

Result<std::size_t> GroupLog::append_some(std::span<const GroupRecord> records) {
  const std::size_t count = batch_of(records);
  const protocol::WallTime now = shard_.clock().wall_now();
  std::vector<protocol::NewRecord> all;
  all.reserve(count);
  std::size_t bytes = 0;
  for (const GroupRecord& record : records.first(count)) {
    all.push_back({.timestamp = now.milliseconds,
                   .key = protocol::ByteView(record.key),
                   .value = value_of(record),
                   .headers = {}});
    bytes += record.size_bytes();
  }
  protocol::BatchProperties properties;
  properties.codec = settings_.codec;
  constexpr std::size_t kRecordHeadBytesMax = 64;
  const std::size_t bytes_max = 2 * bytes + count * kRecordHeadBytesMax + protocol::kBatchHeaderBytes;
  TRY(const protocol::Bytes batch, protocol::build_batch(properties, all, compressor_, bytes_max));
  TRY(storage::Reservation room,
      shard_.store().reserve(shard_.store().entry_bytes(batch.size()), storage::Purpose::kEssential));
  end_position_ = shard_.append(partition_, batch, now, room).end_position;
  written_bytes_ += static_cast<std::int64_t>(bytes);
  for (const GroupRecord& record : records.first(count))
    protocol::check(machine_.replay(record.key, value_of(record)).has_value(), "a record of ours can be replayed");
  return count;
}

asio::awaitable<void> GroupLog::finish_waiting() {
  while (!shard_.failed() && !finish(*waiting_)) co_await shard_.moved();
  waiting_.reset();
  forget_removed_topics();
  room_made_();
}

asio::awaitable<bool> GroupLog::durable() {
  while (decision_waits()) co_await shard_.moved();
  const bool reached = co_await shard_.reached(partition_.settings().durability, end_position_);
  co_return reached;
}

void GroupLog::topic_removed(std::string_view topic) {
  removed_topics_.emplace_back(topic);
  if (loaded_ && !decision_waits()) forget_removed_topics();
}

void GroupLog::forget_removed_topics() {
  while (!removed_topics_.empty() && !decision_waits()) {
    GroupOutcome outcome;
    machine_.remove_topic(removed_topics_.back(), outcome);
    removed_topics_.pop_back();
    write(std::move(outcome));
  }
}

// -- answers

template <class Answer>
void GroupLog::release(Answers<Answer>& answers, std::vector<std::pair<Ticket, Answer>>& released) {
  for (auto& [ticket, answer] : released) {
    answers.given.emplace(ticket.value, std::move(answer));
    const auto waiter = answers.awaited.find(ticket.value);
    if (waiter == answers.awaited.end()) continue;  // it has not come to wait
    waiter->second->now();
    answers.awaited.erase(waiter);
  }
  released.clear();
}

template <class Answer>
asio::awaitable<Answer> GroupLog::answer_to(Answers<Answer>& answers, Ticket ticket) {
  if (!answers.given.contains(ticket.value)) {
    Wake wake(shard_.lane().loop());
    answers.awaited.emplace(ticket.value, &wake);
    co_await wake.wait();
  }
  const auto given = answers.given.find(ticket.value);
  Answer answer = std::move(given->second);
  answers.given.erase(given);
  co_return answer;
}

asio::awaitable<JoinAnswer> GroupLog::join_answer(Ticket ticket) { return answer_to(joins_, ticket); }

asio::awaitable<SyncAnswer> GroupLog::sync_answer(Ticket ticket) { return answer_to(syncs_, ticket); }

void GroupLog::end_waiting(protocol::ErrorCode error) {
  GroupOutcome outcome;
  machine_.end_waiting(error, outcome);
  release(joins_, outcome.joins);
  release(syncs_, outcome.syncs);
}

// -- compaction

void GroupLog::compact_if_worth_it() {
  const std::int64_t live = machine_.durable().live_bytes();
  if (!loaded_ || compacting_ || written_bytes_ <= 2 * live + kOffsetsCompactionBytesMin) return;
  compacting_ = true;
  asio::co_spawn(shard_.lane().loop(), compact(), asio::detached);
}

// All that is alive is said again behind what was said so far, piece by piece, while questions go on: what changes
// meanwhile is behind it too. Then the log starts there, which takes effect when it is synced, behind all of it. An end
// in the middle leaves some things said twice.
asio::awaitable<void> GroupLog::compact() {
  const Offset start = shard_.view(partition_).end;
  written_bytes_ = 0;
  std::optional<std::string> after;
  do {
    while (decision_waits()) co_await shard_.moved();
    DurableGroups::Piece piece = machine_.durable().records_after(after, kOffsetsCompactionPieceBytes);
    after = std::move(piece.last);
    GroupOutcome outcome;
    outcome.records = std::move(piece.records);
    write(std::move(outcome));
    const bool written = co_await durable();
    if (!written) co_return;
  } while (after);
  while (shard_.trim(partition_, start).has_error() && !shard_.failed()) co_await shard_.moved();
  compacting_ = false;
}

}  // namespace braid::broker
