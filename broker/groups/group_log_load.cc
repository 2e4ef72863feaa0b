// How a GroupLog comes to know what is in its partition.
#include <boost/asio/post.hpp>
#include <set>

#include "broker/groups/group_log.h"
#include "broker/groups/limits.h"
#include "broker/observe/log.h"
#include "protocol/records/record_iterator.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using protocol::Result;
using storage::Offset;

/// The partition's queue is being made anew: nothing of it may be passed over.
bool is_not_yet(const boost::system::error_code& error) {
  return error == make_error_code(storage::StorageErrc::not_yet);
}

asio::awaitable<Result<storage::ReadBatches>> read_elsewhere(Shard& shard, Workers& workers, storage::ReadPlan plan) {
  Wake wake(shard.lane().loop());
  Result<storage::ReadBatches> read = storage::ReadBatches{};
  workers.run([&] {
    read = shard.store().read(plan);
    asio::post(shard.lane().loop(), [&wake] { wake.now(); });
  });
  co_await wake.wait();
  co_return read;
}

}  // namespace

asio::awaitable<void> GroupLog::load(Workers& workers, std::function<bool(std::string_view)> is_topic) {
  Offset next = shard_.view(partition_).start;
  const Offset end = shard_.view(partition_).end;
  while (next < end) {
    auto plan = shard_.store().plan_read(partition_.place().stored, {next, end, kGroupLoadBytes});
    if (plan.has_error() && is_not_yet(plan.error())) {
      co_await shard_.moved();
      continue;
    }
    if (plan.has_error()) {
      report("can't be read at offset " + std::to_string(next.value) + ": " + plan.error().message());
      break;
    }
    const Result<storage::ReadBatches> read = co_await read_elsewhere(shard_, workers, *std::move(plan));
    if (read.has_error() && is_not_yet(read.error())) {
      co_await shard_.moved();
      continue;
    }
    if (read.has_error() || read->batches.empty()) {
      report("is damaged at offset " + std::to_string(next.value) + ", which is passed over");
      next = Offset{next.value + 1};
      continue;
    }
    for (const protocol::ByteView bytes : read->batches) {
      const protocol::RecordBatch batch(bytes);
      if (const auto replayed = replay_batch(batch); replayed.has_error())
        report("has a batch that is none of groups at offset " + std::to_string(batch.base_offset()) + ": " +
               replayed.error().message());
      next = Offset{batch.next_offset()};
    }
  }
  const GroupTime now{shard_.clock().now(), shard_.clock().wall_now()};
  machine_.finish_loading(now);
  loaded_ = true;
  forget_removed_topics();
  forget_unknown_topics(is_topic);
  room_made_();
}

Result<void> GroupLog::replay_batch(const protocol::RecordBatch& batch) {
  if (batch.control()) return protocol::ok();
  protocol::Bytes unpacked;
  TRY(const protocol::ByteView body, record_body(batch, kGroupBatchContentBytesMax, decompressor_, unpacked));
  protocol::RecordIterator records(batch, body);
  Result<void> all = protocol::ok();
  while (true) {
    TRY(const std::optional<protocol::Record> record, records.next());
    if (!record) return all;
    written_bytes_ += static_cast<std::int64_t>(record->key.value_or(protocol::ByteView{}).size() +
                                                record->value.value_or(protocol::ByteView{}).size());
    const auto replayed = machine_.replay(record->key.value_or(protocol::ByteView{}), record->value);
    if (replayed.has_error()) all = replayed;  // the others stand for themselves
  }
}

void GroupLog::forget_unknown_topics(const std::function<bool(std::string_view)>& is_topic) {
  std::set<std::string, std::less<>> unknown;
  for (const auto& [group, durable] : machine_.durable().groups())
    for (const auto& [topic, partitions] : durable.offsets)
      if (!is_topic(topic)) unknown.insert(topic);
  for (const std::string& topic : unknown) topic_removed(topic);
}

void GroupLog::report(const std::string& what) {
  log(LogLevel::kError, "groups",
      partition_.place().topic_name + "-" + std::to_string(partition_.place().index) + " " + what);
}

}  // namespace braid::broker
