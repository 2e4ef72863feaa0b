// OffsetFetch, key 9, versions 1-10: what groups have committed.
//
// - No offset: -1 without an error. That is also the answer for a group or a topic that nobody knows. From 2 on null
//   topics are all that the group has committed for; from 8 on there are several groups.
// - A group whose coordinator can't answer yet has an error, never a missing offset: at each partition in version 1, at
//   the top from 2 on, at the group from 8 on.
// - 5 leader epoch; 9 a member's id and epoch, which say nothing in groups of the classic protocol; 10 topics are named
//   by id: UNKNOWN_TOPIC_ID.
// - 7 require_stable changes nothing: there are no transactions yet that could have pending offsets.
#include "broker/api/09_offset_fetch.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "broker/api/group_request.h"
#include "broker/api/later.h"
#include "protocol/messages/09_offset_fetch.h"

namespace braid::broker {
namespace {

using protocol::ErrorCode;
using protocol::OffsetFetchRequest;
using protocol::OffsetFetchResponse;
using ToldGroup = OffsetFetchResponse::Group;
using ToldTopic = OffsetFetchResponse::Topics;
using ToldPartition = OffsetFetchResponse::Partitions;

constexpr std::int16_t kTopLevelErrorFrom = 2;
constexpr std::int16_t kGroupsFrom = 8;
constexpr std::int16_t kTopicIdsFrom = 10;

struct AskedTopic {
  std::string_view name;
  protocol::Uuid id;
  std::span<const std::int32_t> partitions;
};

/// One group, whatever the version.
struct AskedGroup {
  std::string_view id;
  std::optional<std::vector<AskedTopic>> topics;  // none: all
};

std::vector<AskedGroup> groups_of(const OffsetFetchRequest& request, std::int16_t version) {
  std::vector<AskedGroup> groups;
  const auto add = [&groups](std::string_view id, const auto& topics) {
    AskedGroup& group = groups.emplace_back();
    group.id = id;
    if (!topics) return;
    group.topics.emplace();
    for (const auto& topic : *topics) {
      AskedTopic& asked = group.topics->emplace_back();
      asked.name = topic.name;
      if constexpr (requires { topic.topic_id; }) asked.id = topic.topic_id;
      asked.partitions = topic.partition_indexes;
    }
  };
  if (version < kGroupsFrom) {
    add(request.group_id, request.topics);
  } else {
    for (const auto& group : request.groups) add(group.group_id, group.topics);
  }
  return groups;
}

/// Builds what is told of one group; its memory is the arena's.
class GroupOffsets {
 public:
  GroupOffsets(const MetadataImage& image, std::int16_t version, protocol::Arena& arena)
      : image_(image), by_id_(version >= kTopicIdsFrom), arena_(arena) {}

  /// Every partition that was asked, with the same error.
  std::span<const ToldTopic> failed(const std::vector<AskedTopic>& asked, ErrorCode error) {
    const auto told = arena_.array<ToldTopic>(asked.size());
    for (std::size_t i = 0; i < told.size(); ++i) told[i] = unknown(asked[i], error);
    return told;
  }

  std::span<const ToldTopic> asked(const std::vector<AskedTopic>& asked, std::string_view group,
                                   const DurableGroups& durable) {
    const auto told = arena_.array<ToldTopic>(asked.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
      const TopicImage* const topic = by_id_ ? image_.find(asked[i].id) : nullptr;
      if (by_id_ && topic == nullptr) {
        told[i] = unknown(asked[i], ErrorCode::kUnknownTopicId);
        continue;
      }
      told[i].name = asked[i].name;
      told[i].topic_id = asked[i].id;
      const auto partitions = arena_.array<ToldPartition>(asked[i].partitions.size());
      for (std::size_t place = 0; place < partitions.size(); ++place) {
        const std::int32_t index = asked[i].partitions[place];
        const std::string_view name = by_id_ ? std::string_view(topic->name) : asked[i].name;
        partitions[place] = told_of(index, durable.find_offset(group, name, index));
      }
      told[i].partitions = partitions;
    }
    return told;
  }

  std::span<const ToldTopic> all(std::string_view group, const DurableGroups& durable) {
    const DurableGroups::DurableGroup* const known = durable.find(group);
    if (known == nullptr) return {};
    const auto told = arena_.array<ToldTopic>(known->offsets.size());
    std::size_t count = 0;
    for (const auto& [name, committed] : known->offsets) {
      const TopicImage* const topic = image_.find(name);
      if (by_id_ && topic == nullptr) continue;  // it has no id to be named by
      if (count == told.size()) break;           // the arena is exhausted, and the answer fails
      ToldTopic& each = told[count++];
      each.name = by_id_ ? std::string_view() : arena_.copy(name);
      if (by_id_) each.topic_id = topic->id;
      const auto partitions = arena_.array<ToldPartition>(committed.size());
      std::size_t place = 0;
      for (const auto& [index, offset] : committed)
        if (place < partitions.size()) partitions[place++] = told_of(index, &offset);
      each.partitions = partitions;
    }
    return told.first(count);
  }

 private:
  ToldPartition told_of(std::int32_t index, const CommittedOffset* committed) {
    ToldPartition told;
    told.partition_index = index;
    told.committed_offset = committed == nullptr ? -1 : committed->offset;
    told.committed_leader_epoch = committed == nullptr ? -1 : committed->leader_epoch;
    told.metadata = committed == nullptr ? std::string_view() : arena_.copy(committed->metadata);
    return told;
  }

  ToldTopic unknown(const AskedTopic& asked, ErrorCode error) {
    ToldTopic told;
    told.name = asked.name;
    told.topic_id = asked.id;
    const auto partitions = arena_.array<ToldPartition>(asked.partitions.size());
    for (std::size_t place = 0; place < partitions.size(); ++place) {
      partitions[place] = told_of(asked.partitions[place], nullptr);
      partitions[place].error_code = error;
    }
    told.partitions = partitions;
    return told;
  }

  const MetadataImage& image_;
  const bool by_id_;
  protocol::Arena& arena_;
};

/// Before 8 the one group's answer is the answer, in fields of its own.
void tell_as_one(const ToldGroup& group, OffsetFetchResponse& response, protocol::Arena& arena) {
  const auto topics = arena.array<OffsetFetchResponse::Topic>(group.topics.size());
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const auto partitions = arena.array<OffsetFetchResponse::Partition>(group.topics[i].partitions.size());
    for (std::size_t place = 0; place < partitions.size(); ++place) {
      const ToldPartition& told = group.topics[i].partitions[place];
      partitions[place] = {told.partition_index, told.committed_offset, told.committed_leader_epoch, told.metadata,
                           told.error_code};
    }
    topics[i] = {group.topics[i].name, partitions};
  }
  response.topics = topics;
  response.error_code = group.error_code;
}

boost::asio::awaitable<void> fetch(Node& node, std::unique_ptr<KeptRequest<OffsetFetchRequest>> request) {
  const std::int16_t version = request->head.version;
  const std::vector<AskedGroup> asked = groups_of(request->message, version);
  std::vector<ToldGroup> told(asked.size());
  bool durable = true;
  for (std::size_t i = 0; i < asked.size() && durable; ++i) {
    told[i].group_id = asked[i].id;
    const GroupCoordinator::Access access = co_await node.groups.access(asked[i].id);
    const auto image = node.metadata.image();
    GroupOffsets offsets(*image, version, request->arena);
    if (access.log == nullptr) {
      told[i].error_code = access.error;
      if (version < kTopLevelErrorFrom && asked[i].topics)
        told[i].topics = offsets.failed(*asked[i].topics, access.error);
      continue;
    }
    const DurableGroups& known = access.log->machine().durable();
    told[i].topics =
        asked[i].topics ? offsets.asked(*asked[i].topics, asked[i].id, known) : offsets.all(asked[i].id, known);
    durable = co_await access.log->durable();
  }
  OffsetFetchResponse response;
  if (version < kGroupsFrom) {
    tell_as_one(told.front(), response, request->arena);
  } else {
    response.groups = told;
  }
  reply_if_durable(durable, *request, response);
}

}  // namespace

protocol::Result<Answer> answer_offset_fetch(RequestContext& context) {
  return answer_later<OffsetFetchRequest>(context, fetch);
}

}  // namespace braid::broker
