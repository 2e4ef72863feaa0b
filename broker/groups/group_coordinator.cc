#include "broker/groups/group_coordinator.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "storage/commitlog/tag_hash.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using protocol::ErrorCode;

GroupLogSettings settings_from(const Config& config) {
  const auto milliseconds = [&](std::string_view key) { return std::chrono::milliseconds(config.integer(key)); };
  GroupLogSettings settings;
  settings.groups.session_timeout_min = milliseconds("group.min.session.timeout.ms");
  settings.groups.session_timeout_max = milliseconds("group.max.session.timeout.ms");
  settings.groups.initial_rebalance_delay =
      std::max(milliseconds("group.initial.rebalance.delay.ms"), std::chrono::milliseconds(0));
  settings.groups.size_max = static_cast<std::size_t>(config.integer("group.max.size"));
  settings.groups.offset_metadata_bytes_max =
      static_cast<std::size_t>(std::max<std::int64_t>(0, config.integer("offset.metadata.max.bytes")));
  constexpr std::int64_t kMsPerMinute = 60'000;
  settings.groups.offsets_retention_ms = config.integer("offsets.retention.minutes") * kMsPerMinute;
  const std::int64_t codec = config.integer("offsets.topic.compression.codec");
  if (codec > 0 && codec <= static_cast<std::int64_t>(protocol::Codec::kZstd))
    settings.codec = static_cast<protocol::Codec>(codec);
  return settings;
}

NewTopic offsets_topic(const Config& config) {
  NewTopic topic;
  topic.name = kOffsetsTopic;
  topic.partition_count = static_cast<std::int32_t>(config.integer("offsets.topic.num.partitions"));
  topic.replication_factor = 1;  // offsets.topic.replication.factor, and there is one broker
  topic.configs = {{"cleanup.policy", "compact"},
                   {"compression.type", "producer"},
                   {"segment.bytes", std::to_string(config.integer("offsets.topic.segment.bytes"))}};
  return topic;
}

}  // namespace

GroupCoordinator::GroupCoordinator(Shard& shard, MetadataLog& metadata, Topics& topics, Workers& workers,
                                   const Config& config)
    : shard_(shard),
      metadata_(metadata),
      topics_(topics),
      workers_(workers),
      config_(config),
      settings_(settings_from(config)),
      timer_(shard.lane().loop()),
      expiry_timer_(shard.lane().loop()) {}

void GroupCoordinator::start() {
  topics_.on_removal([this](const TopicImage& topic) {
    for (const auto& log : logs_) log->topic_removed(topic.name);
  });
  attach();
  asio::co_spawn(shard_.lane().loop(), expire_offsets(), asio::detached);
}

void GroupCoordinator::end_waiting() {
  for (const auto& log : logs_) log->end_waiting(ErrorCode::kCoordinatorNotAvailable);
}

/// True when the topic is there with all of its partitions.
bool GroupCoordinator::attach() {
  if (!logs_.empty()) return true;
  const std::shared_ptr<const MetadataImage> image = metadata_.state().image();
  const TopicImage* const topic = image->find(kOffsetsTopic);
  if (topic == nullptr) return false;
  std::vector<Partition*> partitions;
  for (std::int32_t index = 0; index < topic->partition_count; ++index) {
    partitions.push_back(shard_.find(topic->id, index));
    if (partitions.back() == nullptr) return false;
  }
  for (Partition* const partition : partitions)
    logs_.push_back(std::make_unique<GroupLog>(shard_, *partition, settings_, [this] { arm(); }));
  asio::co_spawn(shard_.lane().loop(), load_all(), asio::detached);
  return true;
}

asio::awaitable<void> GroupCoordinator::load_all() {
  // Topics that are gone by now are gone from it; those that go later are told to each log.
  const std::shared_ptr<const MetadataImage> image = metadata_.state().image();
  for (const auto& log : logs_) {
    const std::function<bool(std::string_view)> is_topic = [image](std::string_view name) {
      return image->find(name) != nullptr;
    };
    co_await log->load(workers_, is_topic);
  }
}

asio::awaitable<ErrorCode> GroupCoordinator::prepare() {
  while (!attach()) {
    const std::shared_ptr<const MetadataImage> image = metadata_.state().image();
    if (image->find(kOffsetsTopic) != nullptr) {  // its partitions are being made
      co_await shard_.moved();
      continue;
    }
    NewTopic wanted = offsets_topic(config_);
    const TopicOutcome created = co_await topics_.create(std::move(wanted));
    if (!created.good() && created.error != ErrorCode::kTopicAlreadyExists)
      co_return ErrorCode::kCoordinatorNotAvailable;
  }
  co_return ErrorCode::kNone;
}

asio::awaitable<GroupCoordinator::Access> GroupCoordinator::access(std::string_view group_id) {
  if (!attach()) co_return Access{nullptr, ErrorCode::kNotCoordinator};
  GroupLog& log = log_of(group_id);
  if (!log.is_loaded()) co_return Access{nullptr, ErrorCode::kCoordinatorLoadInProgress};
  while (log.decision_waits()) {
    if (log.disk_is_full()) co_return Access{nullptr, ErrorCode::kCoordinatorNotAvailable};
    co_await shard_.moved();
  }
  if (shard_.failed()) co_return Access{nullptr, ErrorCode::kCoordinatorNotAvailable};
  co_return Access{&log, ErrorCode::kNone};
}

std::span<const std::unique_ptr<GroupLog>> GroupCoordinator::logs() {
  attach();
  return logs_;
}

/// As Kafka's clients and tools reckon.
GroupLog& GroupCoordinator::log_of(std::string_view group_id) {
  constexpr std::int64_t kPositive = 0x7fffffff;
  const std::int64_t hash = storage::tag_hash(group_id) & kPositive;
  return *logs_[static_cast<std::size_t>(hash) % logs_.size()];
}

asio::awaitable<bool> GroupCoordinator::settle(GroupLog& log, GroupOutcome outcome) {
  write(log, std::move(outcome));
  return log.durable();
}

void GroupCoordinator::write(GroupLog& log, GroupOutcome outcome) {
  log.write(std::move(outcome));
  arm();
}

/// The timer runs up to the earliest of all that is due; one that was put off since is found out then.
void GroupCoordinator::arm() {
  std::optional<protocol::Instant> first;
  for (const auto& log : logs_) {
    if (log->decision_waits()) continue;  // it calls when it has room
    const auto due = log->machine().next_due();
    if (due && (!first || *due < *first)) first = due;
  }
  if (!first || (armed_for_ && *armed_for_ <= *first)) return;
  armed_for_ = first;
  timer_.expires_after(
      std::max<protocol::Instant::duration>(*first - shard_.clock().now(), std::chrono::milliseconds(0)));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void GroupCoordinator::tick() {
  armed_for_.reset();
  for (const auto& log : logs_) {
    if (!log->is_loaded() || log->decision_waits()) continue;
    GroupOutcome outcome;
    log->machine().tick(time(), outcome);
    log->write(std::move(outcome));
  }
  arm();
}

asio::awaitable<void> GroupCoordinator::expire_offsets() {
  const std::chrono::milliseconds interval(config_.integer("offsets.retention.check.interval.ms"));
  while (true) {
    expiry_timer_.expires_after(interval);
    const auto [error] = co_await expiry_timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    if (error || shard_.failed()) co_return;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      GroupLog& log = *logs_[i];
      std::optional<std::string> after;
      bool more = log.is_loaded();
      while (more) {
        while (log.decision_waits()) co_await shard_.moved();
        GroupOutcome outcome;
        after = log.machine().expire_offsets(after, time(), outcome);
        more = after.has_value();
        const bool durable = co_await settle(log, std::move(outcome));
        if (!durable) co_return;
      }
    }
  }
}

}  // namespace braid::broker
