#include "broker/partition/shard.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstring>

#include "broker/observe/log.h"
#include "broker/runtime/wake.h"
#include "protocol/base/check.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using protocol::Result;
using storage::Durability;
using storage::LogPosition;
using storage::Offset;

}  // namespace

std::size_t Shard::TopicIdHash::operator()(const storage::TopicId& id) const {
  std::size_t random_enough = 0;  // ids are random but for the few fixed ones
  std::memcpy(&random_enough, id.bytes.data() + id.bytes.size() - sizeof random_enough, sizeof random_enough);
  return random_enough * 0x9E3779B97F4A7C15U;
}

/// A coroutine of the lane that waits; told before or while it does.
class Shard::Told final : public AckWaiter {
 public:
  explicit Told(asio::io_context& loop) : wake_(loop) {}

  void acknowledged(bool reached) override {
    reached_ = reached;
    wake_.now();
  }
  asio::awaitable<bool> wait() {
    co_await wake_.wait();
    co_return reached_;
  }

 private:
  Wake wake_;
  bool reached_ = false;
};

/// The records of a topic with flush.ms are on the disk by then.
class Shard::SyncDue final : public Deadline {
 public:
  SyncDue(Shard& shard, Partition& partition) : shard_(shard), partition_(partition) {}

  void passed() override {
    static_cast<void>(partition_.flush_count().appended(partition_.settings().flush, 0, due));  // begins anew
    shard_.store_.request_sync();
    shard_.tell_writer_soon();
  }

 private:
  Shard& shard_;
  Partition& partition_;
};

Shard::Shard(Lane& lane, storage::LogStore& store, const protocol::Clock& clock, std::int64_t producer_expiration_ms,
             std::function<void()> failed)
    : lane_(lane),
      store_(store),
      clock_(clock),
      on_failure_(std::move(failed)),
      producer_keeper_(store, producer_expiration_ms),
      deadlines_(lane.loop(), clock) {}

Shard::~Shard() = default;

void Shard::start() {
  threads_ =
      std::make_unique<storage::StoreThreads>(store_, clock_, [this] { asio::post(lane_.loop(), [this] { turn(); }); });
  tell_writer_soon();
}

void Shard::stop() {
  if (threads_ == nullptr) return;
  deadlines_.stop();
  producer_keeper_.keep_all(clock_.wall_now());
  if (const auto stopped = threads_->stop(); stopped.has_error()) fail();
  threads_.reset();
}

Partition& Shard::open(storage::PartitionId stored, std::string topic_name,
                       std::shared_ptr<const TopicSettings> settings) {
  const storage::PartitionView view = store_.view(stored);
  const auto index = static_cast<std::size_t>(view.queue.value);
  Topic& topic = topics_[view.topic];
  auto& by_index = topic.by_index;
  if (by_index.size() <= index) by_index.resize(index + 1);
  protocol::check(by_index[index] == nullptr, "a partition is opened once");
  const storage::LeaderEpoch epoch = view.epochs.empty() ? storage::LeaderEpoch{0} : view.epochs.back().epoch;
  by_index[index] =
      std::make_unique<Partition>(Partition::Place{view.topic, std::move(topic_name), view.queue.value, stored},
                                  std::move(settings), view.end, epoch, topic.counters);
  producer_keeper_.restore(*by_index[index], clock_.wall_now());
  ++partition_count_;
  return *by_index[index];
}

Result<LogPosition> Shard::create(const storage::PartitionSpec& spec, std::shared_ptr<const TopicSettings> settings) {
  TRY(const storage::Created created, store_.create(spec));
  open(created.partition, spec.name, std::move(settings));
  tell_writer_soon();
  return created.end_position;
}

Result<LogPosition> Shard::remove(Partition& partition) {
  TRY(const LogPosition position, store_.remove(partition.place().stored));
  const auto topic = topics_.find(partition.place().topic);
  auto& by_index = topic->second.by_index;
  std::unique_ptr<Partition>& place = by_index[static_cast<std::size_t>(partition.place().index)];
  partition.removed();
  graves_.push_back({std::move(place), position});
  --partition_count_;
  if (std::ranges::all_of(by_index, [](const auto& each) { return each == nullptr; })) topics_.erase(topic);
  tell_writer_soon();
  return position;
}

Partition* Shard::find(const storage::TopicId& topic, std::int32_t index) {
  const auto found = topics_.find(topic);
  if (found == topics_.end() || index < 0) return nullptr;
  const auto& by_index = found->second.by_index;
  return static_cast<std::size_t>(index) < by_index.size() ? by_index[static_cast<std::size_t>(index)].get() : nullptr;
}

std::vector<Partition*> Shard::partitions() {
  std::vector<Partition*> all;
  all.reserve(partition_count_);
  for (auto& [id, topic] : topics_) {
    for (const auto& partition : topic.by_index)
      if (partition != nullptr) all.push_back(partition.get());
  }
  return all;
}

storage::Appended Shard::append(Partition& partition, protocol::ByteView batch, protocol::WallTime now,
                                storage::Reservation& reservation) {
  const protocol::Instant began = clock_.now();
  const TopicSettings& settings = partition.settings();
  const storage::Appended appended = store_.append(partition.place().stored,
                                                   {.bytes = batch,
                                                    .epoch = partition.leader_epoch(),
                                                    .tag_hashes = {},
                                                    .durability = settings.durability,
                                                    .now = now},
                                                   reservation);
  queue_of(settings.durability)
      .push({.position = appended.end_position,
             .partition = &partition,
             .end = appended.end,
             .bytes = batch.size(),
             .waiter = nullptr,
             .start_moved = false});
  producer_keeper_.appended(partition, batch.size());
  appended_ = appended.end_position;
  const std::int64_t records = appended.end.value - appended.base.value;
  const protocol::Instant done = clock_.now();
  appends_us_.count(
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(done - began).count()));
  if (partition.flush_count().appended(settings.flush, records, done)) store_.request_sync();
  if (settings.flush.topic_interval) sync_by(partition, *settings.flush.topic_interval);
  tell_writer_soon();
  return appended;
}

Shard::LogFigures Shard::log_figures() const {
  const storage::Progress progress = store_.progress();
  LogFigures figures{std::max(appended_, progress.written), progress, {}, appends_us_.counts()};
  if (threads_ != nullptr) figures.groups = threads_->group_counts();
  return figures;
}

void Shard::sync_by(Partition& partition, std::chrono::milliseconds interval) {
  std::unique_ptr<Deadline>& due = partition.sync_due();
  if (due == nullptr) due = std::make_unique<SyncDue>(*this, partition);
  deadlines_.add(*due, clock_.now() + interval);
}

Result<LogPosition> Shard::trim(Partition& partition, Offset start) {
  TRY(const LogPosition position, store_.trim(partition.place().stored, start));
  if (position.value > 0)
    synced_queue_.push(
        {.position = position, .partition = &partition, .end = {}, .bytes = 0, .waiter = nullptr, .start_moved = true});
  tell_writer_soon();
  return position;
}

void Shard::await(Durability durability, LogPosition position, AckWaiter& waiter) {
  AckQueue& queue = queue_of(durability);
  queue.push({.position = std::max(position, queue.back_position()),
              .partition = nullptr,
              .end = {},
              .bytes = 0,
              .waiter = &waiter,
              .start_moved = false});
}

asio::awaitable<bool> Shard::reached(Durability durability, LogPosition position) {
  const storage::Progress progress = store_.progress();
  if (failed_ || progress.failed) co_return false;
  if ((durability == Durability::kSynced ? progress.synced : progress.written) >= position) co_return true;
  Told told(lane_.loop());
  await(durability, position, told);
  if (durability == Durability::kSynced) store_.request_sync();
  tell_writer_soon();
  const bool has_reached = co_await told.wait();
  co_return has_reached;
}

void Shard::await_room(std::unique_ptr<RoomWaiter> waiter) { room_waiters_.push_back(std::move(waiter)); }

asio::awaitable<void> Shard::moved() {
  Told told(lane_.loop());
  moved_waiters_.push_back(&told);
  tell_writer_soon();
  static_cast<void>(co_await told.wait());
}

void Shard::tell_writer_soon() {
  if (writer_told_soon_ || threads_ == nullptr) return;
  writer_told_soon_ = true;
  asio::post(lane_.loop(), [this] {
    writer_told_soon_ = false;
    if (threads_ != nullptr) threads_->appended();
  });
}

void Shard::turn() {
  if (threads_ == nullptr || failed_) return;
  if (threads_->turn().has_error()) {
    fail();
    return;
  }
  const storage::Progress progress = store_.progress();
  advance(written_queue_, progress.written);
  advance(synced_queue_, progress.synced);
  retry_room_waiters();
  wake_moved();
  bury();
  producer_keeper_.turn(clock_.wall_now());
}

void Shard::advance(AckQueue& queue, LogPosition reached) {
  AckQueue::Entry entry;
  while (queue.pop(reached, entry)) handle(entry, true);
}

void Shard::handle(const AckQueue::Entry& entry, bool reached) {
  if (entry.waiter != nullptr) {
    entry.waiter->acknowledged(reached);
  } else if (entry.start_moved) {
    if (reached) entry.partition->changed();
  } else if (reached) {
    entry.partition->raise_high_watermark(entry.end, entry.bytes);
  }
}

void Shard::fail() {
  if (failed_) return;
  failed_ = true;
  log(LogLevel::kError, "storage", "a write or a sync failed: nothing more is acknowledged");
  for (AckQueue* queue : {&written_queue_, &synced_queue_}) {
    AckQueue::Entry entry;
    while (queue->pop_any(entry)) handle(entry, false);
  }
  retry_room_waiters();
  wake_moved();
  on_failure_();
}

void Shard::retry_room_waiters() {
  while (!room_waiters_.empty() && room_waiters_.front()->try_again()) room_waiters_.pop_front();
}

void Shard::wake_moved() {
  std::vector<Told*> waiters;
  waiters.swap(moved_waiters_);
  for (Told* waiter : waiters) waiter->acknowledged(true);
}

void Shard::bury() {
  const auto passed = [&](const AckQueue& queue) {
    return queue.empty() || queue.front_position() > graves_.front().position;
  };
  while (!graves_.empty() && passed(written_queue_) && passed(synced_queue_)) graves_.pop_front();
}

}  // namespace braid::broker
