#include "broker/api/fetch_run.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstring>
#include <utility>

#include "broker/api/error_map.h"
#include "broker/limits.h"
#include "broker/partition/epoch_end.h"
#include "broker/partition/partition_errc.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using protocol::ErrorCode;
using protocol::FetchResponse;
using storage::Offset;
using storage::StorageErrc;

constexpr std::int16_t kStorageErrorFrom = 6;

/// Comes and goes with each answer.
template <class T>
using Recycled = std::vector<T, RecyclingAllocator<T>>;

/// The batches of a read, moved together: they lay between the headers of their entries.
protocol::Bytes joined(storage::ReadBatches&& read) {
  std::size_t at = 0;
  for (const protocol::ByteView batch : read.batches) {
    std::memmove(read.memory.data() + at, batch.data(), batch.size());
    at += batch.size();
  }
  read.memory.resize(at);
  return std::move(read.memory);
}

}  // namespace

FetchRun::FetchRun(Node& serving, ReplyHead head, ReplyPromise promise, std::shared_ptr<FetchSession> session,
                   bool complete, const FetchLimits& limits)
    : node_(serving),
      head_(head),
      promise_(std::move(promise)),
      session_(std::move(session)),
      complete_(complete),
      limits_(limits),
      deadline_(serving.clock.now() + std::chrono::milliseconds(limits.wait_ms_max)),
      timer_(serving.shard.lane().loop()) {}

void FetchRun::start() {
  session_->busy = true;
  look();
}

void FetchRun::look() {
  forget_found();
  short_of_memory_ = false;
  bool waits_for_disk = false;
  for (FetchedPartition& partition : session_->news()) {
    if (!complete_ && allowance_ >= 0 && found_bytes_ + planned_bytes_ >= allowance_ && !found_.empty()) break;
    Found found = look_at(partition);
    if (found.plan && found.plan->from_memory) {
      read(node_.shard.store(), found, static_cast<std::size_t>(std::max<std::int64_t>(0, allowance_ - found_bytes_)),
           found_bytes_ == 0);
      found_bytes_ += static_cast<std::int64_t>(found.memory.size());
    } else if (found.plan) {
      waits_for_disk = true;
    }
    found_.push_back(std::move(found));
  }
  if (waits_for_disk) {
    read_on_a_worker();
  } else {
    decide();
  }
}

void FetchRun::resolve(FetchedPartition& partition) const {
  if (partition.partition() != nullptr) return;
  const FetchKey& key = partition.key();
  protocol::Uuid topic = key.topic;
  if (!session_->by_id()) {
    const auto image = node_.metadata.image();
    const TopicImage* named = image->find(key.name);
    if (named == nullptr) return;
    topic = named->id;
  }
  if (Partition* const found = node_.shard.find(topic, key.partition)) partition.attach(*found);
}

FetchRun::Found FetchRun::look_at(FetchedPartition& of) {
  Found found;
  found.of = &of;
  resolve(of);
  Partition* const partition = of.partition();
  if (partition == nullptr) {
    const bool id_is_unknown = session_->by_id() && node_.metadata.image()->find(of.key().topic) == nullptr;
    found.error = id_is_unknown ? ErrorCode::kUnknownTopicId : ErrorCode::kUnknownTopicOrPartition;
    return found;
  }
  const storage::PartitionView view = node_.shard.view(*partition);
  found.error = check(of, view, found);
  if (found.error != ErrorCode::kNone) return found;
  found.high_watermark = partition->high_watermark().value;
  found.start = view.start.value;
  if (found.diverging.epoch < 0 && of.position.from < partition->high_watermark()) found.held_back = !plan(found);
  return found;
}

ErrorCode FetchRun::check(const FetchedPartition& of, const storage::PartitionView& view, Found& found) const {
  const std::int32_t epoch = of.partition()->leader_epoch().value;
  const FetchPosition& asked = of.position;
  if (const auto checked = of.partition()->check_leader_epoch(asked.leader_epoch); checked.has_error())
    return to_kafka(checked.error());
  if (asked.last_fetched_epoch >= 0) {
    const EpochEnd end = find_epoch_end(view, epoch, asked.last_fetched_epoch);
    if (end.end_offset < 0) return ErrorCode::kOffsetOutOfRange;
    if (end.epoch < asked.last_fetched_epoch || end.end_offset < asked.from.value)
      found.diverging = {end.epoch, end.end_offset};
  }
  if (asked.from < view.start || asked.from > view.end) return ErrorCode::kOffsetOutOfRange;
  return ErrorCode::kNone;
}

bool FetchRun::plan(Found& found) {
  if (allowance_ < 0 && !take_share()) return false;
  const std::int64_t left = allowance_ - found_bytes_ - planned_bytes_;
  const bool first = found_bytes_ == 0 && planned_bytes_ == 0;
  if (left <= 0 && !first) return false;
  const FetchedPartition& of = *found.of;
  const auto bytes_max =
      static_cast<std::size_t>(std::max<std::int64_t>(0, std::min<std::int64_t>(left, of.position.bytes_max)));
  auto planned = node_.shard.store().plan_read(of.partition()->place().stored,
                                               {of.position.from, of.partition()->high_watermark(), bytes_max});
  if (planned.has_error()) {
    found.error = to_kafka(planned.error());
    return true;
  }
  if (!planned->from_memory) planned_bytes_ += std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes_max));
  found.plan = *std::move(planned);
  return true;
}

/// Any thread: touches nothing but `found`. The first batch of the first partition that has one comes whole, whatever
/// the limits (KIP-74); apart from it they hold.
void FetchRun::read(storage::LogStore& store, Found& found, std::size_t bytes_left, bool first) {
  const std::size_t bytes_max = std::min(bytes_left, found.plan->request.bytes_max);
  auto read = store.read(*found.plan);
  found.plan.reset();
  if (read.has_error()) {
    found.stale = read.error() == make_error_code(StorageErrc::stale_read);
    if (!found.stale) found.error = to_kafka(read.error());
    return;
  }
  while (!read->batches.empty()) {
    std::size_t bytes = 0;
    for (const protocol::ByteView batch : read->batches) bytes += batch.size();
    if (bytes <= bytes_max || (first && read->batches.size() == 1)) break;
    read->batches.pop_back();
    found.held_back = true;
  }
  found.memory = joined(*std::move(read));
}

void FetchRun::read_on_a_worker() {
  node_.workers.run([self = shared_from_this(), &store = node_.shard.store()] {
    for (Found& found : self->found_) {
      if (!found.plan) continue;
      const std::int64_t left = std::max<std::int64_t>(0, self->allowance_ - self->found_bytes_);
      read(store, found, static_cast<std::size_t>(left), self->found_bytes_ == 0);
      self->found_bytes_ += static_cast<std::int64_t>(found.memory.size());
    }
    asio::post(self->node_.shard.lane().loop(), [self] { self->decide(); });
  });
}

bool FetchRun::take_share() {
  ByteBudget& budget = node_.fetch_bytes;
  const std::size_t left = budget.limit_bytes() - std::min(budget.limit_bytes(), budget.used_bytes());
  const std::size_t most = std::max(kFetchShareBytesMin, left / 2);
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(1, limits_.bytes_max));
  const std::size_t taken = short_of_memory_ ? 0 : budget.take_up_to(std::min(wanted, most));
  short_of_memory_ = taken == 0;
  if (short_of_memory_) return false;
  share_ = ByteShare(budget, taken);
  allowance_ = std::min(limits_.bytes_max, static_cast<std::int64_t>(taken));
  return true;
}

void FetchRun::forget_found() {
  found_.clear();
  found_bytes_ = planned_bytes_ = 0;
  share_.reset();
  allowance_ = -1;
}

void FetchRun::decide() {
  share_.become(static_cast<std::size_t>(found_bytes_));
  if (may_answer()) {
    answer();
  } else {
    wait();
  }
}

bool FetchRun::may_answer() const {
  return must_answer_ || !node_.fetch_sessions.may_wait() || limits_.wait_ms_max <= 0 || session_->empty() ||
         found_bytes_ >= limits_.bytes_min || node_.shard.failed() || node_.clock.now() >= deadline_ ||
         std::ranges::any_of(found_, [](const Found& found) { return found.ends_waiting(); });
}

void FetchRun::wait() {
  missing_bytes_ = limits_.bytes_min - found_bytes_;
  // What was looked at and is as the client knows it is no news any more: thousands of quiet partitions cost nothing
  // from here on.
  for (const Found& found : found_)
    if (found.memory.empty() && !found.held_back && !found.stale && !complete_ && !to_be_told(found)) settle(found);
  waiting_ = true;
  node_.fetch_sessions.waits(*this);
  session_->on_news = [this](std::size_t bytes) { got_news(bytes); };
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error) self->end_waiting();
  });
  if (std::ranges::any_of(found_, &Found::stale)) got_news(0);
  if (short_of_memory_) wait_for_memory();
  forget_found();  // it is read again: meanwhile it is in nobody's way
}

void FetchRun::wait_for_memory() {
  ByteBudget& budget = node_.fetch_bytes;
  if (waits_for_memory_ || budget.waiting_count() >= kFetchesInLineMax) return;
  waits_for_memory_ = true;
  budget.wait(kFetchWaitBytes, 0, node_.shard.lane().loop(), [weak = weak_from_this(), &budget] {
    budget.give_back(kFetchWaitBytes);
    const auto self = weak.lock();
    if (!self) return;
    self->waits_for_memory_ = false;
    if (self->waiting_) self->got_news(0);
  });
}

void FetchRun::got_news(std::size_t bytes) {
  missing_bytes_ -= static_cast<std::int64_t>(bytes);
  if ((bytes > 0 && missing_bytes_ > 0) || looks_soon_) return;
  looks_soon_ = true;  // once for all that changes in this turn
  asio::post(node_.shard.lane().loop(), [self = shared_from_this()] {
    self->looks_soon_ = false;
    if (!self->waiting_) return;
    self->stop_waiting();
    self->look();
  });
}

void FetchRun::stop_waiting() {
  waiting_ = false;
  WaitingFetch::unlink();
  session_->on_news = nullptr;
  timer_.cancel();
}

void FetchRun::end_waiting() {
  if (!waiting_) return;
  stop_waiting();
  must_answer_ = true;
  look();
}

bool FetchRun::to_be_told(const Found& found) const {
  return complete_ || !found.memory.empty() || found.ends_waiting() ||
         found.high_watermark != found.of->told_high_watermark || found.start != found.of->told_start;
}

protocol::FetchResponsePartitionData FetchRun::told(const Found& found) const {
  protocol::FetchResponsePartitionData data;
  data.partition_index = found.of->key().partition;
  data.error_code = found.error;
  if (found.error == ErrorCode::kKafkaStorageError && head_.version < kStorageErrorFrom)
    data.error_code = ErrorCode::kNotLeaderOrFollower;
  const bool good = found.error == ErrorCode::kNone;
  data.high_watermark = good ? found.high_watermark : -1;
  data.last_stable_offset = data.high_watermark;  // no transaction is ever open
  data.log_start_offset = good ? found.start : -1;
  data.diverging_epoch = found.diverging;
  if (!limits_.committed_only) data.aborted_transactions = std::nullopt;
  data.records = protocol::ByteView(found.memory);
  return data;
}

void FetchRun::settle(const Found& found) {
  FetchedPartition& of = *found.of;
  of.told_high_watermark = found.high_watermark;
  of.told_start = found.start;
  if (!found.memory.empty() || found.ends_waiting()) {
    session_->to_the_end(of);
  } else if (!found.held_back && !found.stale) {
    session_->no_news(of);
  }
}

void FetchRun::count(const Found& found) const {
  const auto add = [&](TopicCounters& counters) {
    ++counters.fetch_requests;
    counters.bytes_out += found.memory.size();
    if (found.error != ErrorCode::kNone) ++counters.failed_fetch_requests;
  };
  add(node_.shard.counters());
  if (Partition* const partition = found.of->partition()) add(partition->counters());
}

void FetchRun::answer() {
  if (std::exchange(answered_, true)) return;
  FetchResponse response;
  response.session_id = session_->id();
  Recycled<protocol::FetchResponsePartitionData> partitions;
  Recycled<FetchResponse::FetchableTopicResponse> topics;
  Recycled<std::size_t> firsts;
  partitions.reserve(found_.size());
  for (const Found& found : found_) {
    if (!to_be_told(found)) continue;
    const FetchKey& key = found.of->key();
    if (topics.empty() || topics.back().topic_id != key.topic || topics.back().topic != key.name) {
      topics.push_back({key.name, key.topic, {}});
      firsts.push_back(partitions.size());
    }
    partitions.push_back(told(found));
  }
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const std::size_t end = i + 1 < topics.size() ? firsts[i + 1] : partitions.size();
    topics[i].partitions = std::span(partitions).subspan(firsts[i], end - firsts[i]);
  }
  response.responses = topics;
  Reply reply = make_reply(head_, response);
  for (Found& found : found_) {
    count(found);
    settle(found);
    if (!found.memory.empty()) reply.memory.push_back(std::move(found.memory));
  }
  reply.share = std::move(share_);
  found_.clear();
  session_->busy = false;
  promise_.complete(std::move(reply));
}

}  // namespace braid::broker
