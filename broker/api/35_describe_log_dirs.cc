// DescribeLogDirs, key 35, versions 1-5: the directories that partitions are kept in, and how large each is in them.
//
// - There is one directory. All partitions share its log: a partition's size is that of its own entries.
// - Null topics: all partitions; else those of the named that are here, and nothing about the others, as in Kafka.
// - 2 is flexible; 4 the bytes of the volume, all and usable, -1 when the system doesn't tell; 5 cordoned: never.
#include "broker/api/35_describe_log_dirs.h"

#include <vector>

#include "broker/api/later.h"
#include "broker/api/mapped.h"
#include "broker/runtime/volume_space.h"
#include "protocol/messages/35_describe_log_dirs.h"

namespace braid::broker {
namespace {

using protocol::DescribeLogDirsRequest;
using protocol::DescribeLogDirsResponse;
using Told = DescribeLogDirsResponse::DescribeLogDirsTopic;
using ToldPartition = DescribeLogDirsResponse::DescribeLogDirsPartition;

void add(Node& node, const TopicImage& topic, std::span<const std::int32_t> indexes, protocol::Arena& arena,
         std::vector<Told>& all) {
  const auto partitions = arena.array<ToldPartition>(indexes.size());
  std::size_t count = 0;
  for (const std::int32_t index : indexes) {
    const Partition* const partition = node.shard.find(topic.id, index);
    if (partition == nullptr || partitions.empty()) continue;
    ToldPartition& told = partitions[count++];
    told.partition_index = index;
    told.partition_size = node.shard.view(*partition).size_bytes;
  }
  if (count != 0) all.push_back({topic.name, partitions.first(count)});
}

void add_whole(Node& node, const TopicImage& topic, protocol::Arena& arena, std::vector<Told>& all) {
  const auto indexes = arena.array<std::int32_t>(static_cast<std::size_t>(topic.partition_count));
  std::int32_t next = 0;
  for (std::int32_t& index : indexes) index = next++;
  add(node, topic, indexes, arena, all);
}

std::vector<Told> told_topics(Node& node, const MetadataImage& image, const DescribeLogDirsRequest& request,
                              protocol::Arena& arena) {
  std::vector<Told> all;
  if (!request.topics) {
    for (const auto& [name, topic] : image.by_name) add_whole(node, *topic, arena, all);
    return all;
  }
  for (const auto& asked : *request.topics) {
    if (const TopicImage* const topic = image.find(asked.topic)) add(node, *topic, asked.partitions, arena, all);
  }
  return all;
}

boost::asio::awaitable<void> describe(Node& node, std::unique_ptr<KeptRequest<DescribeLogDirsRequest>> request) {
  const auto image = node.metadata.image();
  const std::vector<Told> topics = told_topics(node, *image, request->message, request->arena);
  DescribeLogDirsResponse::DescribeLogDirsResult directory;
  directory.log_dir = node.facts.log_dir;
  directory.topics = topics;
  if (const auto space = volume_space(node.facts.log_dir)) {
    directory.total_bytes = space->total_bytes;
    directory.usable_bytes = space->usable_bytes;
  }
  DescribeLogDirsResponse response;
  response.results = {&directory, 1};
  request->reply(response);
  co_return;
}

}  // namespace

protocol::Result<Answer> answer_describe_log_dirs(RequestContext& context) {
  return answer_later<DescribeLogDirsRequest>(context, describe);
}

}  // namespace braid::broker
