#include "broker/metadata/topics.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "broker/config/topic_value.h"
#include "broker/runtime/random_uuid.h"
#include "protocol/base/limits.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using protocol::ErrorCode;

TopicOutcome refused(ErrorCode error, std::string message) { return {error, std::move(message), nullptr}; }

/// Kafka's metrics can't tell these names apart, so that it allows only one of them.
std::string collision_name(std::string_view name) {
  std::string same(name);
  std::ranges::replace(same, '.', '_');
  return same;
}

bool has_collision_character(std::string_view name) {
  return name.find('.') != std::string_view::npos || name.find('_') != std::string_view::npos;
}

const TopicImage* colliding(const MetadataImage& image, std::string_view name) {
  if (!has_collision_character(name)) return nullptr;
  const std::string wanted = collision_name(name);
  const auto found = std::ranges::find_if(image.by_name, [&](const auto& each) {
    return has_collision_character(each.first) && collision_name(each.first) == wanted;
  });
  return found == image.by_name.end() ? nullptr : found->second.get();
}

TopicOutcome unknown_topic() {
  return refused(ErrorCode::kUnknownTopicOrPartition, "This server does not host this topic-partition.");
}

/// What turns one configuration into the other.
MetadataDecision records_of_difference(std::string_view topic, const TopicConfigs& before, const TopicConfigs& after) {
  MetadataDecision records;
  for (const auto& [key, value] : before)
    if (!after.contains(key)) records.push_back(record_of_config(topic, key, std::nullopt));
  for (const auto& [key, value] : after) {
    const auto was = before.find(key);
    if (was == before.end() || was->second != value) records.push_back(record_of_config(topic, key, value));
  }
  return records;
}

}  // namespace

std::optional<TopicOutcome> Topics::objection(const NewTopic& wanted) const {
  if (!is_topic_name(wanted.name))
    return refused(ErrorCode::kInvalidTopicException,
                   "A topic's name has 1 to 249 letters, digits, '.', '_' and '-', and is neither '.' nor '..'");
  const auto image = metadata_.state().image();
  if (image->find(wanted.name) != nullptr)
    return refused(ErrorCode::kTopicAlreadyExists, "Topic '" + wanted.name + "' already exists.");
  if (const TopicImage* other = colliding(*image, wanted.name))
    return refused(ErrorCode::kInvalidTopicException,
                   "Topic '" + wanted.name + "' collides with existing topic: " + other->name);
  if (wanted.partition_count != -1 && wanted.partition_count < 1)
    return refused(ErrorCode::kInvalidPartitions, "Number of partitions must be larger than 0, or -1.");
  const std::int64_t partitions =
      wanted.partition_count == -1 ? broker_.integer("num.partitions") : wanted.partition_count;
  if (partitions > protocol::kPartitionsPerTopicMax)
    return refused(ErrorCode::kInvalidPartitions,
                   "A topic has at most " + std::to_string(protocol::kPartitionsPerTopicMax) + " partitions.");
  if (wanted.replication_factor != -1 && wanted.replication_factor != 1)
    return refused(ErrorCode::kInvalidReplicationFactor, "Replication factor must be 1, or -1: there is one broker.");
  if (auto why = topic_objection(wanted.configs, broker_)) return refused(ErrorCode::kInvalidConfig, *std::move(why));
  return std::nullopt;
}

TopicImage Topics::planned(const NewTopic& wanted) const {
  TopicImage topic;
  topic.name = wanted.name;
  topic.partition_count = wanted.partition_count == -1 ? static_cast<std::int32_t>(broker_.integer("num.partitions"))
                                                       : wanted.partition_count;
  topic.configs = wanted.configs;
  topic.settings = derive_topic_settings(wanted.configs, broker_);
  return topic;
}

TopicOutcome Topics::preview(const NewTopic& wanted) const {
  if (auto no = objection(wanted)) return *std::move(no);
  return {ErrorCode::kNone, {}, std::make_shared<const TopicImage>(planned(wanted))};
}

asio::awaitable<TopicOutcome> Topics::create(NewTopic wanted) {
  std::optional<TopicOutcome> no;
  const protocol::Uuid id = random_uuid();
  const auto make_it = [&] {
    no = objection(wanted);
    if (no) return MetadataDecision{};
    return records_of_topic(id, wanted.name, planned(wanted).partition_count, wanted.configs);
  };
  const auto committed = co_await metadata_.commit(make_it);
  if (no) co_return *std::move(no);
  if (committed.has_error()) co_return co_await settled(committed, nullptr);
  const auto image = metadata_.state().image();
  const MetadataImage::TopicPointer topic = image->by_id.at(id);
  const auto created = co_await metadata_.create_partitions(topic, 0, topic->partition_count);
  co_return co_await settled(created, topic);
}

asio::awaitable<TopicOutcome> Topics::remove(protocol::Uuid id) {
  MetadataImage::TopicPointer topic;
  const auto remove_it = [&] {
    const auto image = metadata_.state().image();
    const auto found = image->by_id.find(id);
    topic = found == image->by_id.end() ? nullptr : found->second;
    return topic == nullptr ? MetadataDecision{} : MetadataDecision{record_of_removal(id)};
  };
  const auto committed = co_await metadata_.commit(remove_it);
  if (topic == nullptr) co_return refused(ErrorCode::kUnknownTopicId, "This server does not host this topic ID.");
  if (committed.has_error()) co_return co_await settled(committed, nullptr);
  removed_(*topic);
  const auto removed = co_await metadata_.remove_partitions(topic);
  if (removed.has_error()) co_return co_await settled(removed, nullptr);
  const protocol::Result<storage::LogPosition> last = std::max(*committed, *removed);
  co_return co_await settled(last, topic);
}

std::optional<TopicOutcome> Topics::growth_objection(std::string_view name, std::int32_t partition_count) const {
  const auto image = metadata_.state().image();
  const TopicImage* const topic = image->find(name);
  if (topic == nullptr) return unknown_topic();
  if (is_internal_topic(name))  // what is in a partition follows from how many there are
    return refused(ErrorCode::kInvalidPartitions, "The partitions of an internal topic can't be increased.");
  if (partition_count == topic->partition_count)
    return refused(ErrorCode::kInvalidPartitions,
                   "Topic already has " + std::to_string(partition_count) + " partition(s).");
  if (partition_count < topic->partition_count)
    return refused(ErrorCode::kInvalidPartitions, "The topic " + std::string(name) + " currently has " +
                                                      std::to_string(topic->partition_count) + " partition(s); " +
                                                      std::to_string(partition_count) + " would not be an increase.");
  if (partition_count > protocol::kPartitionsPerTopicMax)
    return refused(ErrorCode::kInvalidPartitions,
                   "A topic has at most " + std::to_string(protocol::kPartitionsPerTopicMax) + " partitions.");
  return std::nullopt;
}

asio::awaitable<TopicOutcome> Topics::grow(std::string name, std::int32_t partition_count) {
  std::optional<TopicOutcome> no;
  std::int32_t before = 0;
  const auto grow_it = [&] {
    no = growth_objection(name, partition_count);
    if (no) return MetadataDecision{};
    const auto image = metadata_.state().image();
    const TopicImage* const topic = image->find(name);
    before = topic->partition_count;
    return MetadataDecision{record_of_partition_count(*topic, partition_count)};
  };
  const auto committed = co_await metadata_.commit(grow_it);
  if (no) co_return *std::move(no);
  if (committed.has_error()) co_return co_await settled(committed, nullptr);
  const auto image = metadata_.state().image();
  const MetadataImage::TopicPointer topic = image->by_name.at(name);
  const auto created = co_await metadata_.create_partitions(topic, before, partition_count);
  co_return co_await settled(created, topic);
}

TopicOutcome Topics::preview_configuration(std::string_view name, const Reconfiguration& change) const {
  const auto image = metadata_.state().image();
  const auto found = image->by_name.find(name);
  if (found == image->by_name.end()) return unknown_topic();
  ChangedConfigs changed = change(found->second->configs);
  if (!changed.good()) return refused(changed.error, std::move(changed.message));
  TopicImage topic = *found->second;
  topic.configs = std::move(changed.configs);
  topic.settings = derive_topic_settings(topic.configs, broker_);
  return {ErrorCode::kNone, {}, std::make_shared<const TopicImage>(std::move(topic))};
}

asio::awaitable<TopicOutcome> Topics::configure(std::string name, Reconfiguration change) {
  TopicOutcome planned;
  const auto change_it = [&] {
    planned = preview_configuration(name, change);
    if (!planned.good()) return MetadataDecision{};
    const auto image = metadata_.state().image();
    return records_of_difference(name, image->find(name)->configs, planned.topic->configs);
  };
  const auto committed = co_await metadata_.commit(change_it);
  if (!planned.good()) co_return planned;
  if (committed.has_error()) co_return co_await settled(committed, nullptr);
  const auto image = metadata_.state().image();
  const MetadataImage::TopicPointer topic = image->by_name.at(name);
  metadata_.apply_settings(*topic);
  co_return co_await settled(committed, topic);
}

asio::awaitable<TopicOutcome> Topics::settled(const protocol::Result<storage::LogPosition>& position,
                                              MetadataImage::TopicPointer topic) {
  bool durable = position.has_value();
  if (durable) durable = co_await shard_.reached(storage::Durability::kSynced, *position);
  TopicOutcome outcome;
  if (durable) {
    outcome.topic = std::move(topic);
  } else {
    outcome = refused(ErrorCode::kKafkaStorageError, "The disk is full, or failed.");
  }
  co_return outcome;
}

}  // namespace braid::broker
