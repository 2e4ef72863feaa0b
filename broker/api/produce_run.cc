#include "broker/api/produce_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "broker/api/error_map.h"
#include "broker/api/produce_wait.h"
#include "protocol/records/recompression.h"
#include "protocol/records/record_batch.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

using protocol::ByteView;
using protocol::ErrorCode;
using protocol::MutableBytes;
using protocol::ProduceRequest;
using protocol::ProduceResponse;
using storage::Durability;
using storage::LogPosition;
using storage::StorageErrc;

constexpr std::int16_t kZstdFrom = 7;
constexpr std::int16_t kTopicIdsFrom = 13;
constexpr std::int16_t kAcksNone = 0;
constexpr std::int16_t kAcksLeader = 1;
constexpr std::int16_t kAcksAll = -1;

/// The same bytes, where they may be written.
MutableBytes within(MutableBytes body, ByteView part) {
  return body.subspan(static_cast<std::size_t>(part.data() - body.data()), part.size());
}

/// What is appended is counted where that happens.
void count_produce(const ProducePart& part, TopicCounters& counters) {
  ++counters.produce_requests;
  if (part.good()) return;
  ++counters.failed_produce_requests;
  const auto is = [&](protocol::BatchErrc fault) { return part.fault == make_error_code(fault); };
  using enum protocol::BatchErrc;
  if (is(batch_too_large) || is(larger_than_segment)) counters.bytes_rejected += part.batch.size();
  if (is(crc_mismatch)) ++counters.invalid_crc;
  if (is(old_magic) || is(unknown_magic)) ++counters.invalid_magic;
  if (is(null_key)) ++counters.without_key;
  if (is(base_offset_not_zero) || is(offset_delta_out_of_order) || is(no_sequence)) ++counters.out_of_sequence;
}

bool is_transactional(ByteView records) {
  if (records.size() < protocol::kBatchHeaderBytes) return false;
  const protocol::RecordBatch batch(records);
  return batch.magic() == protocol::kBatchMagic && batch.transactional();
}

}  // namespace

ProduceRun::ProduceRun(const RequestContext& context, const ProduceRequest& request)
    : node_(&context.node),
      head_(context.head()),
      promise_(context.promise()),
      from_admin_(context.header.client_id == "__admin_client"),
      image_(context.node.metadata.image()),
      request_(&request),
      body_(context.body),
      arena_(&context.arena),
      now_(context.node.clock.wall_now()) {}

ProduceRun::ProduceRun(Node& node, std::unique_ptr<KeptRequest<ProduceRequest>> kept)
    : node_(&node),
      head_(kept->head),
      promise_(std::move(kept->promise)),
      kept_(std::move(kept)),
      from_admin_(kept_->client_id == "__admin_client"),
      image_(node.metadata.image()),
      request_(&kept_->message),
      body_(kept_->body),
      arena_(&kept_->arena),
      now_(node.clock.wall_now()) {}

protocol::Result<void> ProduceRun::keep(const RequestContext& context) {
  TRY(kept_, broker::keep<ProduceRequest>(context));
  const auto parts = kept_->arena.array<ProducePart>(parts_.size());
  if (parts.size() != parts_.size()) return make_error_code(protocol::Errc::too_large);
  std::ranges::copy(parts_, parts.begin());
  for (ProducePart& part : parts) {
    const bool in_body = part.batch.data() >= body_.data() && part.batch.data() < body_.data() + body_.size();
    if (in_body)
      part.batch = within(kept_->body, {kept_->body.data() + (part.batch.data() - body_.data()), part.batch.size()});
    part.error_message = kept_->arena.copy(part.error_message);
    part.record_errors = {};  // they are lost with the frame's memory; the codes are not
  }
  parts_ = parts;
  request_ = &kept_->message;
  body_ = kept_->body;
  arena_ = &kept_->arena;
  return protocol::ok();
}

void ProduceRun::check(LoopTools& tools) {
  find_parts();
  if (lacks_transactional_id()) {
    refuse_all(ErrorCode::kTransactionalIdAuthorizationFailed);
    return;
  }
  for (ProducePart& part : parts_) {
    if (part.good()) check_part(part, tools);
  }
}

void ProduceRun::find_parts() {
  std::size_t count = 0;
  for (const auto& topic : request_->topic_data) count += topic.partition_data.size();
  parts_ = arena_->array<ProducePart>(count);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < request_->topic_data.size() && !parts_.empty(); ++i) {
    const std::size_t places = request_->topic_data[i].partition_data.size();
    find_topic(i, parts_.subspan(at, places));
    at += places;
  }
}

void ProduceRun::find_topic(std::uint32_t topic, std::span<ProducePart> parts) {
  const ProduceRequest::TopicProduceData& asked = request_->topic_data[topic];
  const bool by_id = head_.version >= kTopicIdsFrom;
  const TopicImage* image = by_id ? image_->find(asked.topic_id) : image_->find(asked.name);
  const ErrorCode unknown = by_id ? ErrorCode::kUnknownTopicId : ErrorCode::kUnknownTopicOrPartition;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    ProducePart& part = parts[i];
    part.topic = topic;
    part.place = i;
    part.image = image;
    const auto& data = asked.partition_data[i];
    if (data.records) part.batch = within(body_, *data.records);
    if (image == nullptr) {
      part.refuse(unknown);
    } else if (data.index < 0 || data.index >= image->partition_count) {
      part.refuse(ErrorCode::kUnknownTopicOrPartition);
    }
  }
}

bool ProduceRun::lacks_transactional_id() const {
  return !request_->transactional_id &&
         std::ranges::any_of(parts_, [](const ProducePart& part) { return is_transactional(part.batch); });
}

void ProduceRun::check_part(ProducePart& part, LoopTools& tools) {
  const std::int16_t acks = request_->acks;
  if (acks != kAcksNone && acks != kAcksLeader && acks != kAcksAll) return part.refuse(ErrorCode::kInvalidRequiredAcks);
  if (is_internal_topic(part.image->name) && !from_admin_) return part.refuse(ErrorCode::kInvalidTopicException);
  const TopicSettings& settings = *part.image->settings;
  constexpr std::int32_t kInSyncReplicas = 1;
  if (acks == kAcksAll && settings.in_sync_replicas_min > kInSyncReplicas)
    return part.refuse(ErrorCode::kNotEnoughReplicas);

  protocol::BatchRules rules = settings.rules;
  rules.now = now_;
  rules.zstd_allowed = head_.version >= kZstdFrom;
  const auto& data = request_->topic_data[part.topic].partition_data[part.place];
  tools.record_errors.clear();
  const protocol::Result<protocol::ValidBatch> valid =
      data.records ? validate_batch(part.batch, rules, tools.decompressor, tools.record_errors)
                   : protocol::Result<protocol::ValidBatch>(make_error_code(protocol::BatchErrc::null_records));
  if (valid.has_error()) {
    part.refuse(to_kafka(valid.error()));
    part.fault = valid.error();
    part.error_message = arena_->copy(valid.error().message());
    list_record_errors(part, tools.record_errors);
    return;
  }
  if (is_transactional(part.batch)) return part.refuse(ErrorCode::kInvalidTxnState);  // there are no transactions yet
  settle_timestamps(part.batch, *valid, rules);
  if (rules.timestamp_type == protocol::TimestampType::kLogAppendTime) part.log_append_time_ms = now_.milliseconds;
  if (settings.recompression) recompress(part, settings, tools);
}

void ProduceRun::recompress(ProducePart& part, const TopicSettings& settings, LoopTools& tools) {
  const protocol::RecordBatch batch(part.batch);
  if (batch.codec() == settings.recompression->codec) return;
  protocol::Bytes packed;
  const protocol::RecompressionLimits limits{settings.rules.batch_bytes_max, settings.rules.decompressed_bytes_max};
  const auto done =
      protocol::recompress(batch, *settings.recompression, limits, tools.decompressor, tools.compressor, packed);
  if (done.has_error()) return part.refuse(ErrorCode::kMessageTooLarge);  // it was found to unpack before
  recompressed_.push_back(std::move(packed));
  part.batch = recompressed_.back();
}

void ProduceRun::list_record_errors(ProducePart& part, const protocol::RecordErrors& errors) {
  const auto listed = arena_->array<protocol::ProduceResponseBatchIndexAndErrorMessage>(errors.listed().size());
  for (std::size_t i = 0; i < listed.size(); ++i)
    listed[i] = {errors.listed()[i].index, arena_->copy(to_message(errors.listed()[i]))};
  part.record_errors = listed;
}

void ProduceRun::refuse_all(ErrorCode why) {
  for (ProducePart& part : parts_) part.refuse(why);
}

bool ProduceRun::append() {
  Shard& shard = node_->shard;
  std::size_t bytes = 0;
  for (const ProducePart& part : parts_)
    if (part.good()) bytes += shard.store().entry_bytes(part.batch.size());
  storage::Reservation room;
  if (bytes > 0) {
    if (shard.failed()) {
      refuse_all(ErrorCode::kKafkaStorageError);
    } else {
      auto reserved = shard.store().reserve(bytes, storage::Purpose::kProduce);
      if (reserved.has_value()) {
        room = *std::move(reserved);
      } else if (reserved.error() == make_error_code(StorageErrc::not_yet)) {
        return false;
      } else {
        refuse_all(to_kafka(reserved.error()));
      }
    }
  }
  Awaited awaited;
  for (ProducePart& part : parts_)
    if (part.good()) append_part(part, room, awaited);
  count();
  answer(awaited);
  return true;
}

Partition* ProduceRun::find_partition(const ProducePart& part) const {
  return node_->shard.find(part.image->id, request_->topic_data[part.topic].partition_data[part.place].index);
}

void ProduceRun::count() const {
  for (const ProducePart& part : parts_) {
    Partition* partition = part.partition;
    if (partition == nullptr && part.image != nullptr) partition = find_partition(part);
    count_produce(part, node_->shard.counters());
    if (partition != nullptr) count_produce(part, partition->counters());
  }
}

void ProduceRun::Awaited::add(Durability durability, LogPosition position) {
  LogPosition& place = durability == Durability::kSynced ? synced : written;
  place = std::max(place, position);
}

void ProduceRun::append_part(ProducePart& part, storage::Reservation& room, Awaited& awaited) {
  Shard& shard = node_->shard;
  Partition* const partition = part.partition = find_partition(part);
  if (partition == nullptr) {  // removed meanwhile, or being made
    part.log_append_time_ms = -1;
    return part.refuse(ErrorCode::kUnknownTopicOrPartition);
  }
  const Durability durability = partition->settings().durability;
  const auto producer = ProducerBatch::of(protocol::RecordBatch(part.batch));
  if (producer) {
    const auto judged = shard.producers(*partition, now_).judge(*producer);
    if (judged.has_error()) {
      part.log_append_time_ms = -1;
      return part.refuse(to_kafka(judged.error()));
    }
    if (judged->has_value()) {  // a retry waits for the same as the first try
      part.base_offset = (*judged)->base.value;
      if (part.log_append_time_ms >= 0) part.log_append_time_ms = (*judged)->timestamp_max;
      part.log_start_offset = shard.view(*partition).start.value;
      return awaited.add(durability, (*judged)->end_position);
    }
  }
  const storage::Appended appended = shard.append(*partition, part.batch, now_, room);
  if (producer) partition->producers().stored(*producer, appended.base, appended.end_position, now_);
  for (TopicCounters* const counters : {&shard.counters(), &partition->counters()}) {
    counters->messages_in += static_cast<std::uint64_t>(appended.end.value - appended.base.value);
    counters->bytes_in += part.batch.size();
  }
  part.base_offset = appended.base.value;
  part.log_start_offset = shard.view(*partition).start.value;
  awaited.add(durability, appended.end_position);
}

void ProduceRun::answer(const Awaited& awaited) {
  if (request_->acks == kAcksNone) {
    const auto bad = std::ranges::find_if(parts_, [](const ProducePart& part) { return !part.good(); });
    if (bad == parts_.end()) return promise_.complete(NoReply{});
    return promise_.complete(Refusal{"a Produce with acks=0 failed: " + std::string(protocol::name(bad->error))});
  }
  ProduceWait::start(node_->shard, std::move(promise_), head_, make_reply(), awaited.written, awaited.synced,
                     request_->acks == kAcksAll ? request_->timeout_ms : -1);
}

Reply ProduceRun::make_reply() const {
  ProduceResponse response;
  const auto topics = arena_->array<ProduceResponse::TopicProduceResponse>(request_->topic_data.size());
  const auto partitions = arena_->array<ProduceResponse::PartitionProduceResponse>(parts_.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const auto& asked = request_->topic_data[i];
    const std::size_t first = at;
    for (std::size_t place = 0; place < asked.partition_data.size() && at < partitions.size(); ++place, ++at) {
      const ProducePart& part = parts_[at];
      auto& told = partitions[at];
      told.index = asked.partition_data[place].index;
      told.error_code = part.error;
      told.base_offset = part.good() ? part.base_offset : -1;
      told.log_append_time_ms = part.good() ? part.log_append_time_ms : -1;
      told.log_start_offset = part.good() ? part.log_start_offset : -1;
      told.record_errors = part.record_errors;
      if (!part.error_message.empty()) told.error_message = part.error_message;
    }
    topics[i] = {asked.name, asked.topic_id, partitions.subspan(first, at - first)};
  }
  response.responses = topics;
  return broker::make_reply(head_, response);
}

}  // namespace braid::broker
