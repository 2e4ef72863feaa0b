// ListOffsets, key 2, versions 1-11: the offset at a time, or at either end.
//
// - -1 the end that readers see (the high watermark; as there are no transactions yet, also for read_committed), with
//   timestamp -1; -2 the log start; from 8 on -4, the local log start, is the same.
// - A time: the first record, not batch, with that timestamp or a later one; none: offset and timestamp -1, no error.
// - From 7 on -3: the first record that has the greatest timestamp; -1 and -1 for an empty partition.
// - From 9 on -5 and from 11 on -6 ask for a tier that does not exist: offset -1.
// - Any of these in too low a version: UNSUPPORTED_VERSION for the partition. The same partition twice:
// INVALID_REQUEST.
// - From 4 on the client's leader epoch is checked, and the answer has the partition's.
#include "broker/api/02_list_offsets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "broker/api/error_map.h"
#include "broker/api/later.h"
#include "broker/api/partition_reads.h"
#include "broker/partition/time_lookup.h"
#include "protocol/messages/02_list_offsets.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using protocol::ErrorCode;
using protocol::ListOffsetsRequest;
using protocol::ListOffsetsResponse;
using Asked = ListOffsetsRequest::ListOffsetsPartition;
using Told = ListOffsetsResponse::ListOffsetsPartitionResponse;
using storage::Offset;

constexpr std::int16_t kLeaderEpochsFrom = 4;
constexpr std::int64_t kLatest = -1;
constexpr std::int64_t kEarliest = -2;
constexpr std::int64_t kMaxTimestamp = -3;
constexpr std::int64_t kEarliestLocal = -4;
constexpr std::int64_t kLatestTiered = -5;
constexpr std::int64_t kEarliestPendingUpload = -6;

/// The version from which on a special timestamp may be asked for.
std::int16_t allowed_from(std::int64_t timestamp) {
  constexpr std::int16_t kAlways = 1;
  constexpr std::int16_t kNever = 32767;
  if (timestamp >= kEarliest) return kAlways;
  switch (timestamp) {
    case kMaxTimestamp:
      return 7;
    case kEarliestLocal:
      return 8;
    case kLatestTiered:
      return 9;
    case kEarliestPendingUpload:
      return 11;
    default:
      return kNever;
  }
}

void tell(const protocol::Result<std::optional<TimedRecord>>& found, Told& told) {
  if (found.has_error()) {
    told.error_code = to_kafka(found.error());
  } else if (*found) {
    told.timestamp = (*found)->timestamp;
    told.offset = (*found)->offset.value;
  }
}

asio::awaitable<void> look_up_time(Node& node, const protocol::Uuid topic, const std::int64_t timestamp, Told& told) {
  if (timestamp == kMaxTimestamp) {
    const auto greatest = co_await find_greatest_time(node, topic, told.partition_index);
    tell(greatest, told);
  } else {
    const auto found = co_await find_time(node, topic, told.partition_index, timestamp);
    tell(found, told);
  }
}

asio::awaitable<Told> look_up(Node& node, const TopicImage* topic, const Asked& asked, std::int16_t version) {
  Told told;
  told.partition_index = asked.partition_index;
  Partition* const partition = topic == nullptr ? nullptr : node.shard.find(topic->id, asked.partition_index);
  if (partition == nullptr) {
    told.error_code = ErrorCode::kUnknownTopicOrPartition;
    co_return told;
  }
  if (version < allowed_from(asked.timestamp)) {
    told.error_code = ErrorCode::kUnsupportedVersion;
    co_return told;
  }
  if (const auto checked = partition->check_leader_epoch(asked.current_leader_epoch); checked.has_error()) {
    told.error_code = to_kafka(checked.error());
    co_return told;
  }
  if (version >= kLeaderEpochsFrom) told.leader_epoch = partition->leader_epoch().value;
  switch (asked.timestamp) {
    case kLatest:
      told.offset = partition->high_watermark().value;
      break;
    case kEarliest:
    case kEarliestLocal:
      told.offset = node.shard.view(*partition).start.value;
      break;
    case kLatestTiered:
    case kEarliestPendingUpload:
      break;
    default:
      co_await look_up_time(node, topic->id, asked.timestamp, told);
  }
  if (told.offset < 0) told.leader_epoch = -1;
  co_return told;
}

asio::awaitable<void> list_offsets(Node& node, std::unique_ptr<KeptRequest<ListOffsetsRequest>> request) {
  const auto& topics = request->message.topics;
  const auto image = node.metadata.image();
  std::set<std::pair<std::string_view, std::int32_t>> seen;
  std::set<std::pair<std::string_view, std::int32_t>> twice;
  for (const auto& topic : topics)
    for (const Asked& asked : topic.partitions)
      if (!seen.emplace(topic.name, asked.partition_index).second) twice.emplace(topic.name, asked.partition_index);

  std::vector<std::vector<Told>> told(topics.size());
  std::vector<ListOffsetsResponse::ListOffsetsTopicResponse> answers;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const TopicImage* const named = image->find(topics[i].name);
    for (const Asked& asked : topics[i].partitions) {
      if (twice.contains({topics[i].name, asked.partition_index})) {
        Told& bad = told[i].emplace_back();
        bad.partition_index = asked.partition_index;
        bad.error_code = ErrorCode::kInvalidRequest;
      } else {
        const Told one = co_await look_up(node, named, asked, request->head.version);
        told[i].push_back(one);
      }
    }
    answers.push_back({topics[i].name, told[i]});
  }
  ListOffsetsResponse response;
  response.topics = answers;
  request->reply(response);
}

}  // namespace

protocol::Result<Answer> answer_list_offsets(RequestContext& context) {
  return answer_later<ListOffsetsRequest>(context, list_offsets);
}

}  // namespace braid::broker
