// DeleteRecords, key 21, versions 0-2: moves the log start up, for good.
//
// - -1 means the high watermark; above it, or below -1: OFFSET_OUT_OF_RANGE. At or below the log start nothing changes.
// - The answer carries the log start, once that is on the disk; -1 beside an error.
// - A topic that is only compacted: POLICY_VIOLATION. Internal topics may be cut like others.
#include "broker/api/21_delete_records.h"

#include <memory>
#include <utility>
#include <vector>

#include "broker/api/error_map.h"
#include "broker/api/later.h"
#include "protocol/messages/21_delete_records.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

using protocol::DeleteRecordsRequest;
using protocol::DeleteRecordsResponse;
using protocol::ErrorCode;
using storage::LogPosition;
using storage::Offset;
using storage::StorageErrc;
using Asked = DeleteRecordsRequest::DeleteRecordsPartition;
using Told = DeleteRecordsResponse::DeleteRecordsPartitionResult;

constexpr std::int64_t kHighWatermark = -1;
constexpr std::int64_t kNoLowWatermark = -1;

/// What was begun for one partition.
struct Cut {
  Told told;
  LogPosition position{0};  // to wait for; 0: nothing
};

void refuse(Told& told, ErrorCode why) {
  told.error_code = why;
  told.low_watermark = kNoLowWatermark;
}

boost::asio::awaitable<Cut> cut(Node& node, const TopicImage* topic, const Asked asked) {
  Cut cut;
  cut.told.partition_index = asked.partition_index;
  Offset start{asked.offset};
  bool decided = false;
  while (true) {
    Partition* const partition = topic == nullptr ? nullptr : node.shard.find(topic->id, asked.partition_index);
    if (partition == nullptr) {
      refuse(cut.told, ErrorCode::kUnknownTopicOrPartition);
      co_return cut;
    }
    if (!partition->settings().deletes) {
      refuse(cut.told, ErrorCode::kPolicyViolation);
      co_return cut;
    }
    if (!decided && asked.offset == kHighWatermark) start = partition->high_watermark();
    decided = true;
    if (start.value < 0 || start > partition->high_watermark()) {
      refuse(cut.told, ErrorCode::kOffsetOutOfRange);
      co_return cut;
    }
    const auto trimmed = node.shard.trim(*partition, start);
    // Nothing was to do, but what another request began may not be on the disk yet.
    const bool waits = trimmed.has_value() ? trimmed->value == 0 && node.shard.view(*partition).start < start
                                           : trimmed.error() == make_error_code(StorageErrc::not_yet);
    if (!waits || node.shard.failed()) {
      if (trimmed.has_value()) cut.position = *trimmed;
      if (trimmed.has_error()) refuse(cut.told, to_kafka(trimmed.error()));
      co_return cut;
    }
    co_await node.shard.moved();
  }
}

void finish(Node& node, const TopicImage* topic, Told& told, bool synced) {
  if (told.error_code != ErrorCode::kNone) return;
  if (!synced) return refuse(told, ErrorCode::kKafkaStorageError);
  const Partition* const partition = node.shard.find(topic->id, told.partition_index);
  if (partition == nullptr) return refuse(told, ErrorCode::kUnknownTopicOrPartition);
  told.low_watermark = node.shard.view(*partition).start.value;
}

boost::asio::awaitable<void> delete_records(Node& node, std::unique_ptr<KeptRequest<DeleteRecordsRequest>> request) {
  const auto image = node.metadata.image();
  const auto& topics = request->message.topics;
  std::vector<std::vector<Told>> told(topics.size());
  LogPosition last{0};
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const TopicImage* const topic = image->find(topics[i].name);
    for (const Asked& asked : topics[i].partitions) {
      const Cut begun = co_await cut(node, topic, asked);
      told[i].push_back(begun.told);
      last = std::max(last, begun.position);
    }
  }
  const bool synced = co_await node.shard.reached(storage::Durability::kSynced, last);
  std::vector<DeleteRecordsResponse::DeleteRecordsTopicResult> answers;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const TopicImage* const topic = image->find(topics[i].name);
    for (Told& each : told[i]) finish(node, topic, each, synced);
    answers.push_back({topics[i].name, told[i]});
  }
  DeleteRecordsResponse response;
  response.topics = answers;
  request->reply(response);
}

}  // namespace

protocol::Result<Answer> answer_delete_records(RequestContext& context) {
  return answer_later<DeleteRecordsRequest>(context, delete_records);
}

}  // namespace braid::broker
