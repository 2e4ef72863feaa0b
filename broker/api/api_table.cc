#include "broker/api/api_table.h"

#include <algorithm>
#include <array>

#include "broker/api/00_produce.h"
#include "broker/api/01_fetch.h"
#include "broker/api/02_list_offsets.h"
#include "broker/api/03_metadata.h"
#include "broker/api/08_offset_commit.h"
#include "broker/api/09_offset_fetch.h"
#include "broker/api/10_find_coordinator.h"
#include "broker/api/11_join_group.h"
#include "broker/api/12_heartbeat.h"
#include "broker/api/13_leave_group.h"
#include "broker/api/14_sync_group.h"
#include "broker/api/15_describe_groups.h"
#include "broker/api/16_list_groups.h"
#include "broker/api/18_api_versions.h"
#include "broker/api/19_create_topics.h"
#include "broker/api/20_delete_topics.h"
#include "broker/api/21_delete_records.h"
#include "broker/api/22_init_producer_id.h"
#include "broker/api/23_offset_for_leader_epoch.h"
#include "broker/api/32_describe_configs.h"
#include "broker/api/33_alter_configs.h"
#include "broker/api/34_alter_replica_log_dirs.h"
#include "broker/api/35_describe_log_dirs.h"
#include "broker/api/37_create_partitions.h"
#include "broker/api/42_delete_groups.h"
#include "broker/api/43_elect_leaders.h"
#include "broker/api/44_incremental_alter_configs.h"
#include "broker/api/45_alter_partition_reassignments.h"
#include "broker/api/46_list_partition_reassignments.h"
#include "broker/api/47_offset_delete.h"
#include "broker/api/55_describe_quorum.h"
#include "broker/api/60_describe_cluster.h"
#include "broker/api/61_describe_producers.h"
#include "broker/api/74_list_config_resources.h"
#include "broker/api/75_describe_topic_partitions.h"
#include "protocol/base/check.h"

namespace braid::broker {
namespace {

using protocol::ApiKey;

/// All stable versions that the protocol has, advertised as they are served.
ServedApi whole(ApiKey key, Access access, Handler handler) {
  const protocol::Api* const api = protocol::find_api(static_cast<std::int16_t>(key));
  protocol::check(api != nullptr, "every served API has messages");
  return {api, api->version_min, api->version_max, api->version_min, false, false, access, handler};
}

ServedApi answering_any_version(ServedApi served) {
  served.answers_any_version = true;
  return served;
}

ServedApi advertised_from(std::int16_t version, ServedApi served) {
  served.advertised_min = version;
  return served;
}

/// Versions above it bring what there is not yet.
ServedApi up_to(std::int16_t version, ServedApi served) {
  served.served_max = version;
  return served;
}

ServedApi overlapping(ServedApi served) {
  served.overlaps = true;
  return served;
}

}  // namespace

std::span<const ServedApi> served_apis() {
  static const std::array kApis = {
      advertised_from(0, overlapping(whole(ApiKey::kProduce, Access::kAfterLogin, answer_produce))),
      whole(ApiKey::kFetch, Access::kAfterLogin, answer_fetch),
      whole(ApiKey::kListOffsets, Access::kAfterLogin, answer_list_offsets),
      whole(ApiKey::kMetadata, Access::kAfterLogin, answer_metadata),
      whole(ApiKey::kOffsetCommit, Access::kAfterLogin, answer_offset_commit),
      whole(ApiKey::kOffsetFetch, Access::kAfterLogin, answer_offset_fetch),
      up_to(5, whole(ApiKey::kFindCoordinator, Access::kAfterLogin, answer_find_coordinator)),
      whole(ApiKey::kJoinGroup, Access::kAfterLogin, answer_join_group),
      whole(ApiKey::kHeartbeat, Access::kAfterLogin, answer_heartbeat),
      whole(ApiKey::kLeaveGroup, Access::kAfterLogin, answer_leave_group),
      whole(ApiKey::kSyncGroup, Access::kAfterLogin, answer_sync_group),
      whole(ApiKey::kDescribeGroups, Access::kAfterLogin, answer_describe_groups),
      whole(ApiKey::kListGroups, Access::kAfterLogin, answer_list_groups),
      answering_any_version(whole(ApiKey::kApiVersions, Access::kBeforeLogin, answer_api_versions)),
      whole(ApiKey::kCreateTopics, Access::kAfterLogin, answer_create_topics),
      whole(ApiKey::kDeleteTopics, Access::kAfterLogin, answer_delete_topics),
      whole(ApiKey::kDeleteRecords, Access::kAfterLogin, answer_delete_records),
      whole(ApiKey::kInitProducerId, Access::kAfterLogin, answer_init_producer_id),
      whole(ApiKey::kOffsetForLeaderEpoch, Access::kAfterLogin, answer_offset_for_leader_epoch),
      whole(ApiKey::kDescribeConfigs, Access::kAfterLogin, answer_describe_configs),
      whole(ApiKey::kAlterConfigs, Access::kAfterLogin, answer_alter_configs),
      whole(ApiKey::kAlterReplicaLogDirs, Access::kAfterLogin, answer_alter_replica_log_dirs),
      whole(ApiKey::kDescribeLogDirs, Access::kAfterLogin, answer_describe_log_dirs),
      whole(ApiKey::kCreatePartitions, Access::kAfterLogin, answer_create_partitions),
      whole(ApiKey::kDeleteGroups, Access::kAfterLogin, answer_delete_groups),
      whole(ApiKey::kElectLeaders, Access::kAfterLogin, answer_elect_leaders),
      whole(ApiKey::kIncrementalAlterConfigs, Access::kAfterLogin, answer_incremental_alter_configs),
      whole(ApiKey::kAlterPartitionReassignments, Access::kAfterLogin, answer_alter_partition_reassignments),
      whole(ApiKey::kListPartitionReassignments, Access::kAfterLogin, answer_list_partition_reassignments),
      whole(ApiKey::kOffsetDelete, Access::kAfterLogin, answer_offset_delete),
      whole(ApiKey::kDescribeQuorum, Access::kAfterLogin, answer_describe_quorum),
      whole(ApiKey::kDescribeCluster, Access::kAfterLogin, answer_describe_cluster),
      whole(ApiKey::kDescribeProducers, Access::kAfterLogin, answer_describe_producers),
      whole(ApiKey::kListConfigResources, Access::kAfterLogin, answer_list_config_resources),
      whole(ApiKey::kDescribeTopicPartitions, Access::kAfterLogin, answer_describe_topic_partitions),
  };
  return kApis;
}

const ServedApi* find_served(std::span<const ServedApi> apis, std::int16_t key) {
  const auto key_of = [](const ServedApi& served) { return static_cast<std::int16_t>(served.api->key); };
  const auto found = std::ranges::lower_bound(apis, key, {}, key_of);
  return found != apis.end() && key_of(*found) == key ? &*found : nullptr;
}

}  // namespace braid::broker
