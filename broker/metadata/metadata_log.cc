#include "broker/metadata/metadata_log.h"

#include <optional>

#include "protocol/base/limits.h"
#include "protocol/records/record_batch_iterator.h"
#include "protocol/records/record_iterator.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using protocol::Result;
using storage::LogPosition;
using storage::Offset;
using storage::QueueId;
using storage::StorageErrc;

constexpr std::string_view kLogName = "__cluster_metadata";

/// Kafka's id of its own metadata topic: no client's topic has it.
storage::TopicId log_id() { return protocol::uuid_from_halves(0, 1); }

/// Records are lost if they are not synced, whatever the broker's flush mode is.
std::shared_ptr<const TopicSettings> log_settings() {
  auto settings = std::make_shared<TopicSettings>();
  settings->durability = storage::Durability::kSynced;
  return settings;
}

storage::PartitionSpec spec_of(const TopicImage& topic, std::int32_t index) {
  return {.topic = topic.id, .name = topic.name, .queue = QueueId{index}, .start = Offset{0}};
}

bool is_not_yet(const boost::system::error_code& error) { return error == make_error_code(StorageErrc::not_yet); }

}  // namespace

MetadataLog::MetadataLog(Shard& shard, const Config& broker) : shard_(shard), state_(broker), image_(state_.image()) {}

asio::awaitable<std::string> MetadataLog::start(std::string_view cluster_id_if_new) {
  const auto opened = co_await open_log(cluster_id_if_new);
  if (opened.has_error()) co_return "the metadata log can't be read or made: " + opened.error().message();
  publish();
  const auto agreed = co_await make_agree();
  if (agreed.has_error())
    co_return "the partitions of the metadata log's topics can't be made: " + agreed.error().message();
  co_return std::string{};
}

asio::awaitable<Result<void>> MetadataLog::open_log(std::string_view cluster_id_if_new) {
  if (const auto stored = shard_.store().find(log_id(), QueueId{0})) {
    log_ = &shard_.open(*stored, std::string(kLogName), log_settings());
    if (const auto replayed = replay_all(); replayed.has_error()) co_return replayed.error();
  }
  while (log_ == nullptr) {
    const storage::PartitionSpec spec{.topic = log_id(), .name = std::string(kLogName), .queue = {}, .start = {}};
    const auto created = shard_.create(spec, log_settings());
    if (created.has_value()) {
      log_ = shard_.find(log_id(), 0);
    } else if (!is_not_yet(created.error())) {
      co_return created.error();
    } else {
      co_await shard_.moved();
    }
  }
  if (!state_.cluster_id().empty()) co_return protocol::ok();
  const auto say_it = [&] { return MetadataDecision{record_of_cluster(cluster_id_if_new)}; };
  const auto committed = co_await commit(say_it);
  if (committed.has_error()) co_return committed.error();
  const bool synced = co_await shard_.reached(storage::Durability::kSynced, *committed);
  if (!synced) co_return make_error_code(StorageErrc::failed);
  co_return protocol::ok();
}

Result<void> MetadataLog::replay_all() {
  const storage::PartitionView view = shard_.view(*log_);
  Offset next = view.start;
  const Offset end = view.end;
  while (next < end) {
    TRY(const storage::ReadPlan plan,
        shard_.store().plan_read(log_->place().stored, {next, end, protocol::kMetadataReadBytes}));
    TRY(const storage::ReadBatches read, shard_.store().read(plan));
    if (read.batches.empty()) return make_error_code(StorageErrc::corrupt);
    for (const protocol::ByteView bytes : read.batches) {
      const protocol::RecordBatch batch(bytes);
      TRY_DO(replay_batch(batch));
      next = Offset{batch.next_offset()};
      bytes_since_compaction_ += static_cast<std::int64_t>(bytes.size());
    }
  }
  return protocol::ok();
}

Result<void> MetadataLog::replay_batch(const protocol::RecordBatch& batch) {
  protocol::RecordIterator records(batch, batch.body());  // our own are never compressed
  while (true) {
    TRY(const std::optional<protocol::Record> record, records.next());
    if (!record) return protocol::ok();
    TRY_DO(state_.replay(record->value.value_or(protocol::ByteView{})));
  }
}

asio::awaitable<Result<void>> MetadataLog::make_agree() {
  const std::shared_ptr<const MetadataImage> image = state_.image();
  for (const auto& [id, topic] : image->by_id) {
    for (std::int32_t index = 0; index < topic->partition_count; ++index) {
      if (const auto stored = shard_.store().find(id, QueueId{index})) {
        const Partition& opened = shard_.open(*stored, topic->name, topic->settings);
        if (const std::int32_t epoch = opened.leader_epoch().value; epoch > 0)
          leader_epochs_.emplace(std::pair{id, index}, epoch);
      } else {
        const auto made = co_await create_partitions(topic, index, index + 1);
        if (made.has_error()) co_return made.error();
      }
    }
  }
  for (const storage::PartitionId stored : shard_.store().partitions()) {
    const storage::PartitionView view = shard_.store().view(stored);
    if (view.topic == log_id() || shard_.find(view.topic, view.queue.value) != nullptr) continue;
    while (true) {
      const auto removed = shard_.store().remove(stored);
      if (removed.has_value()) break;
      if (!is_not_yet(removed.error())) co_return removed.error();
      co_await shard_.moved();
    }
  }
  co_return protocol::ok();
}

std::int32_t MetadataLog::leader_epoch(const protocol::Uuid& topic, std::int32_t partition) const {
  const auto found = leader_epochs_.find({topic, partition});
  return found == leader_epochs_.end() ? 0 : found->second;
}

Result<LogPosition> MetadataLog::append(std::span<const MetadataRecord> records) {
  std::vector<protocol::NewRecord> values;
  values.reserve(records.size());
  const protocol::WallTime now = shard_.clock().wall_now();
  for (const MetadataRecord& record : records)
    values.push_back({.timestamp = now.milliseconds, .key = {}, .value = protocol::ByteView(record), .headers = {}});
  TRY(const protocol::Bytes batch, protocol::build_batch({}, values, compressor_, protocol::kMetadataBatchBytesMax));
  TRY(storage::Reservation room,
      shard_.store().reserve(shard_.store().entry_bytes(batch.size()), storage::Purpose::kEssential));
  const storage::Appended appended = shard_.append(*log_, batch, now, room);
  bytes_since_compaction_ += static_cast<std::int64_t>(batch.size());
  for (const MetadataRecord& record : records)
    protocol::check(state_.replay(record).has_value(), "a record that was just made can be replayed");
  publish();
  compact();
  return appended.end_position;
}

// Everything that is alive is said again, and what was said before is dropped once that is durable: trim() takes effect
// when it is synced, behind the new records.
void MetadataLog::compact() {
  if (compacting_ || bytes_since_compaction_ < protocol::kMetadataCompactionBytesMin + 2 * compacted_bytes_) return;
  compacting_ = true;
  const Offset start = shard_.view(*log_).end;
  bytes_since_compaction_ = 0;
  compacted_bytes_ = 0;
  const std::vector<MetadataRecord> all = state_.all_records();
  bool complete = false;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t count = std::min(protocol::kMetadataRecordsAtOnceMax, all.size() - at);
    const std::int64_t before = bytes_since_compaction_;
    if (append(std::span(all).subspan(at, count)).has_error()) break;  // no room: tried again after later changes
    compacted_bytes_ += bytes_since_compaction_ - before;
    at += count;
    complete = at >= all.size();
  }
  bytes_since_compaction_ = 0;
  compacting_ = false;
  if (complete) static_cast<void>(shard_.trim(*log_, start));  // when there is no room now, the next time does it
}

asio::awaitable<Result<LogPosition>> MetadataLog::create_partitions(MetadataImage::TopicPointer topic,
                                                                    std::int32_t first, std::int32_t end) {
  LogPosition last{0};
  for (std::int32_t index = first; index < end;) {
    // A wait gives others the time to remove the topic, or to configure it anew.
    const std::shared_ptr<const MetadataImage> now = state_.image();
    const TopicImage* const current = now->find(topic->id);
    if (current == nullptr) break;
    const auto made = shard_.create(spec_of(*topic, index), current->settings);
    if (made.has_value()) {
      last = *made;
      ++index;
    } else if (!is_not_yet(made.error())) {
      co_return made.error();
    } else {
      co_await shard_.moved();
    }
  }
  co_return last;
}

asio::awaitable<Result<LogPosition>> MetadataLog::remove_partitions(MetadataImage::TopicPointer topic) {
  LogPosition last{0};
  for (std::int32_t index = 0; index < topic->partition_count;) {
    Partition* const partition = shard_.find(topic->id, index);
    if (partition == nullptr) {
      ++index;
      continue;
    }
    const auto removed = shard_.remove(*partition);
    if (removed.has_value()) {
      last = *removed;
    } else if (!is_not_yet(removed.error())) {
      co_return removed.error();
    } else {
      co_await shard_.moved();
    }
  }
  co_return last;
}

void MetadataLog::apply_settings(const TopicImage& topic) {
  for (std::int32_t index = 0; index < topic.partition_count; ++index) {
    if (Partition* partition = shard_.find(topic.id, index)) partition->set_settings(topic.settings);
  }
}

}  // namespace braid::broker
