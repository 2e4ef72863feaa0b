// AlterReplicaLogDirs, key 34, versions 1-2: partitions move to another directory of their broker.
//
// - There is one directory: a partition that is asked to be in it is there already, which is a success.
// - Any other directory: LOG_DIR_NOT_FOUND for each partition. A partition that is not here:
//   UNKNOWN_TOPIC_OR_PARTITION.
// - 2 is flexible.
#include "broker/api/34_alter_replica_log_dirs.h"

#include <map>
#include <string_view>
#include <vector>

#include "broker/api/mapped.h"
#include "broker/api/node.h"
#include "protocol/messages/34_alter_replica_log_dirs.h"

namespace braid::broker {
namespace {

using protocol::AlterReplicaLogDirsRequest;
using protocol::AlterReplicaLogDirsResponse;
using protocol::ErrorCode;
using ToldTopic = AlterReplicaLogDirsResponse::AlterReplicaLogDirTopicResult;
using ToldPartition = AlterReplicaLogDirsResponse::AlterReplicaLogDirPartitionResult;

ErrorCode outcome(const Node& node, const TopicImage* topic, std::int32_t index, std::string_view directory) {
  if (directory != node.facts.log_dir) return ErrorCode::kLogDirNotFound;
  const bool here = topic != nullptr && index >= 0 && index < topic->partition_count;
  return here ? ErrorCode::kNone : ErrorCode::kUnknownTopicOrPartition;
}

}  // namespace

protocol::Result<Answer> answer_alter_replica_log_dirs(RequestContext& context) {
  AlterReplicaLogDirsRequest request;
  protocol::Reader in(context.body);
  TRY_DO(protocol::decode(in, context.version(), context.arena, request));
  const auto image = context.node.metadata.image();
  std::vector<ToldTopic> all;
  for (const auto& directory : request.dirs) {
    for (const auto& asked : directory.topics) {
      const TopicImage* const topic = image->find(asked.name);
      ToldTopic& told = all.emplace_back();
      told.topic_name = asked.name;
      told.partitions = mapped(context.arena, asked.partitions, [&](std::int32_t index) {
        return ToldPartition{index, outcome(context.node, topic, index, directory.path)};
      });
    }
  }
  if (context.arena.exhausted()) return make_error_code(protocol::Errc::too_large);
  AlterReplicaLogDirsResponse response;
  response.results = all;
  return Answer(make_reply(context.head(), response));
}

}  // namespace braid::broker
