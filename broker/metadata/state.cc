#include "broker/metadata/state.h"

#include "protocol/base/errc.h"
#include "protocol/messages/meta_cluster.h"
#include "protocol/messages/meta_config.h"
#include "protocol/messages/meta_producer_ids.h"
#include "protocol/messages/meta_topic.h"
#include "protocol/messages/meta_topic_removed.h"

namespace braid::broker {
namespace {

using protocol::Arena;
using protocol::Errc;
using protocol::Reader;
using protocol::Result;

constexpr std::int16_t kVersion = 0;

}  // namespace

Result<void> MetadataState::replay(protocol::ByteView record) {
  Reader in(record);
  Arena arena;
  const auto type = static_cast<MetadataType>(in.i16());
  if (in.i16() != kVersion || !in.ok()) return make_error_code(Errc::unsupported_version);
  switch (type) {
    case MetadataType::kCluster: {
      protocol::MetaClusterData cluster;
      TRY_DO(protocol::decode(in, kVersion, arena, cluster));
      cluster_id_ = cluster.cluster_id;
      return protocol::ok();
    }
    case MetadataType::kTopic:
      return replay_topic(in, arena);
    case MetadataType::kTopicRemoved:
      return replay_removal(in, arena);
    case MetadataType::kConfig:
      return replay_config(in, arena);
    case MetadataType::kProducerIds: {
      protocol::MetaProducerIdsData ids;
      TRY_DO(protocol::decode(in, kVersion, arena, ids));
      next_producer_id_ = ids.next_producer_id;
      return protocol::ok();
    }
  }
  return make_error_code(Errc::malformed);
}

MetadataImage& MetadataState::changed_image() {
  if (image_.use_count() > 1) image_ = std::make_shared<MetadataImage>(*image_);
  return *image_;
}

void MetadataState::put(TopicImage topic) {
  MetadataImage& image = changed_image();
  if (const TopicImage* before = image.find(topic.id))
    image.partition_count -= static_cast<std::size_t>(before->partition_count);
  image.partition_count += static_cast<std::size_t>(topic.partition_count);
  auto shared = std::make_shared<const TopicImage>(std::move(topic));
  image.by_name.insert_or_assign(shared->name, shared);
  image.by_id.insert_or_assign(shared->id, shared);
}

Result<void> MetadataState::replay_topic(Reader& in, Arena& arena) {
  protocol::MetaTopicData said;
  TRY_DO(protocol::decode(in, kVersion, arena, said));
  TopicImage topic;
  if (const TopicImage* before = image_->find(said.topic_id)) {
    topic = *before;
  } else {
    topic.id = said.topic_id;
    topic.name = said.name;
    topic.settings = derive_topic_settings({}, broker_);
  }
  topic.partition_count = said.partition_count;
  put(std::move(topic));
  return protocol::ok();
}

Result<void> MetadataState::replay_removal(Reader& in, Arena& arena) {
  protocol::MetaTopicRemovedData said;
  TRY_DO(protocol::decode(in, kVersion, arena, said));
  const TopicImage* topic = image_->find(said.topic_id);
  if (topic == nullptr) return protocol::ok();
  const std::string name = topic->name;
  MetadataImage& image = changed_image();
  image.partition_count -= static_cast<std::size_t>(image.find(said.topic_id)->partition_count);
  image.by_name.erase(name);
  image.by_id.erase(said.topic_id);
  return protocol::ok();
}

Result<void> MetadataState::replay_config(Reader& in, Arena& arena) {
  protocol::MetaConfigData said;
  TRY_DO(protocol::decode(in, kVersion, arena, said));
  if (said.resource_type != kTopicResource) return make_error_code(Errc::malformed);
  const TopicImage* before = image_->find(said.resource_name);
  if (before == nullptr) return protocol::ok();
  TopicImage topic = *before;
  if (said.value) {
    topic.configs.insert_or_assign(std::string(said.key), std::string(*said.value));
  } else if (const auto found = topic.configs.find(said.key); found != topic.configs.end()) {
    topic.configs.erase(found);
  }
  topic.settings = derive_topic_settings(topic.configs, broker_);
  put(std::move(topic));
  return protocol::ok();
}

std::vector<MetadataRecord> MetadataState::all_records() const {
  std::vector<MetadataRecord> records;
  records.push_back(record_of_cluster(cluster_id_));
  records.push_back(record_of_producer_ids(next_producer_id_));
  for (const auto& [name, topic] : image_->by_name) {
    for (MetadataRecord& record : records_of_topic(topic->id, name, topic->partition_count, topic->configs))
      records.push_back(std::move(record));
  }
  return records;
}

std::vector<MetadataRecord> records_of_topic(const protocol::Uuid& id, std::string_view name,
                                             std::int32_t partition_count, const TopicConfigs& configs) {
  std::vector<MetadataRecord> records;
  records.push_back(metadata_record(MetadataType::kTopic, protocol::MetaTopicData{id, name, partition_count}));
  for (const auto& [key, value] : configs) records.push_back(record_of_config(name, key, value));
  return records;
}

MetadataRecord record_of_config(std::string_view topic, std::string_view key, std::optional<std::string_view> value) {
  return metadata_record(MetadataType::kConfig, protocol::MetaConfigData{kTopicResource, topic, key, value});
}

MetadataRecord record_of_partition_count(const TopicImage& topic, std::int32_t partition_count) {
  return metadata_record(MetadataType::kTopic, protocol::MetaTopicData{topic.id, topic.name, partition_count});
}

MetadataRecord record_of_removal(const protocol::Uuid& id) {
  return metadata_record(MetadataType::kTopicRemoved, protocol::MetaTopicRemovedData{id});
}

MetadataRecord record_of_cluster(std::string_view cluster_id) {
  return metadata_record(MetadataType::kCluster, protocol::MetaClusterData{cluster_id});
}

MetadataRecord record_of_producer_ids(std::int64_t next_producer_id) {
  return metadata_record(MetadataType::kProducerIds, protocol::MetaProducerIdsData{next_producer_id});
}

}  // namespace braid::broker
