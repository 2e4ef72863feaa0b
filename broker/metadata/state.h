#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/metadata/image.h"
#include "broker/metadata/records.h"
#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace braid::broker {

/// What the metadata log has said so far. Questions are answered from it, records change it, and nothing else does: a
/// start that replays the same records reaches the same state. No clock, no disk, no socket. One thread.
class MetadataState {
 public:
  /// The configuration gives topics what they do not say themselves; it outlives the state.
  explicit MetadataState(const Config& broker) : broker_(broker), image_(std::make_shared<MetadataImage>()) {}

  /// Applies one record. Errc::malformed, Errc::unsupported_version: it is none that this program knows, and a start
  /// must not go on without it.
  protocol::Result<void> replay(protocol::ByteView record);

  std::shared_ptr<const MetadataImage> image() const { return image_; }
  const std::string& cluster_id() const { return cluster_id_; }
  /// Producer ids below were given out, or may have been.
  std::int64_t next_producer_id() const { return next_producer_id_; }

  /// Records that make an empty state equal to this one.
  std::vector<MetadataRecord> all_records() const;

 private:
  MetadataImage& changed_image();
  void put(TopicImage topic);
  protocol::Result<void> replay_topic(protocol::Reader& in, protocol::Arena& arena);
  protocol::Result<void> replay_removal(protocol::Reader& in, protocol::Arena& arena);
  protocol::Result<void> replay_config(protocol::Reader& in, protocol::Arena& arena);

  const Config& broker_;
  std::string cluster_id_;
  std::int64_t next_producer_id_ = 0;
  std::shared_ptr<MetadataImage> image_;  // shared with readers: never changed, but replaced by a changed copy
};

/// A resource of DescribeConfigs and its kin, as metadata records number them: Kafka's numbers.
inline constexpr std::int8_t kTopicResource = 2;

/// The records of a new topic.
std::vector<MetadataRecord> records_of_topic(const protocol::Uuid& id, std::string_view name,
                                             std::int32_t partition_count, const TopicConfigs& configs);
MetadataRecord record_of_config(std::string_view topic, std::string_view key, std::optional<std::string_view> value);
MetadataRecord record_of_partition_count(const TopicImage& topic, std::int32_t partition_count);
MetadataRecord record_of_removal(const protocol::Uuid& id);
MetadataRecord record_of_cluster(std::string_view cluster_id);
MetadataRecord record_of_producer_ids(std::int64_t next_producer_id);

}  // namespace braid::broker
