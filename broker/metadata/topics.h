#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/metadata/config_change.h"
#include "broker/metadata/metadata_log.h"
#include "protocol/messages/error_code.h"

namespace braid::broker {

/// What a topic is to be; -1: the broker's default.
struct NewTopic {
  std::string name;
  std::int32_t partition_count = -1;
  std::int16_t replication_factor = -1;
  TopicConfigs configs;
};

/// What became of a wish about a topic.
struct TopicOutcome {
  protocol::ErrorCode error = protocol::ErrorCode::kNone;
  std::string message;                // for people; empty: none
  MetadataImage::TopicPointer topic;  // as it is, or would be, without an error

  bool good() const { return error == protocol::ErrorCode::kNone; }
};

/// Makes, changes and removes topics: decides by what the metadata log says, writes what it decides, and follows up in
/// the shard. Outcomes are durable. The lane's; rules as in Kafka's controller on a single node.
class Topics {
 public:
  /// All outlive it.
  Topics(Shard& shard, MetadataLog& metadata, const Config& broker)
      : shard_(shard), metadata_(metadata), broker_(broker) {}

  /// Why it can't be made; none: it can.
  std::optional<TopicOutcome> objection(const NewTopic& wanted) const;
  /// The topic as create() would make it, without an id.
  TopicOutcome preview(const NewTopic& wanted) const;
  boost::asio::awaitable<TopicOutcome> create(NewTopic wanted);
  /// Called when a topic is gone from the metadata, before anybody can make it again; once, before the first removal.
  void on_removal(std::function<void(const TopicImage&)> removed) { removed_ = std::move(removed); }
  /// All of its records are gone for good.
  boost::asio::awaitable<TopicOutcome> remove(protocol::Uuid id);
  /// Why it can't get so many partitions: INVALID_PARTITIONS unless it has fewer now.
  std::optional<TopicOutcome> growth_objection(std::string_view name, std::int32_t partition_count) const;
  boost::asio::awaitable<TopicOutcome> grow(std::string name, std::int32_t partition_count);

  /// A topic's own configuration, from what it is.
  using Reconfiguration = std::function<ChangedConfigs(const TopicConfigs& own)>;
  /// The topic as configure() would make it.
  TopicOutcome preview_configuration(std::string_view name, const Reconfiguration& change) const;
  /// In force at once, answered when it is durable.
  boost::asio::awaitable<TopicOutcome> configure(std::string name, Reconfiguration change);

 private:
  TopicImage planned(const NewTopic& wanted) const;
  /// The outcome once the log is synced up to `position`; a full or failed disk if that has an error.
  boost::asio::awaitable<TopicOutcome> settled(const protocol::Result<storage::LogPosition>& position,
                                               MetadataImage::TopicPointer topic);

  Shard& shard_;
  MetadataLog& metadata_;
  const Config& broker_;
  std::function<void(const TopicImage&)> removed_ = [](const TopicImage&) {};
};

}  // namespace braid::broker
