#include "broker/metadata/topic_settings.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include "broker/config/value.h"
#include "protocol/base/check.h"

namespace braid::broker {
namespace {

using protocol::check;
using protocol::Codec;
using storage::FlushMode;

/// Reads one topic's values by key.
class Values {
 public:
  Values(const TopicConfigs& own, const Config& broker) : own_(own), broker_(broker) {}

  std::string text(std::string_view key) const { return in_force(key).value.value_or(""); }
  std::int64_t integer(std::string_view key) const {
    const std::optional<std::int64_t> number = parse_integer(text(key));
    check(number.has_value(), "a topic's value was checked when it was set");
    return *number;
  }
  /// What the topic says, not the broker.
  std::optional<std::int64_t> own_integer(std::string_view key) const {
    const auto given = own_.find(key);
    return given == own_.end() ? std::nullopt : parse_integer(given->second);
  }
  bool list_holds(std::string_view key, std::string_view item) const {
    const std::string items = text(key);
    const auto split = split_list(items);
    return std::ranges::find(split, item) != split.end();
  }
  bool given(std::string_view key) const { return own_.contains(key); }

 private:
  ValueInForce in_force(std::string_view key) const {
    const TopicKey* const known = find_topic_key(key);
    check(known != nullptr, "only known topic keys are asked for");
    return value_in_force(*known, own_, broker_);
  }

  const TopicConfigs& own_;
  const Config& broker_;
};

FlushMode flush_mode(std::string_view text) { return text == "async" ? FlushMode::kAsync : FlushMode::kSync; }

/// What a client may send.
protocol::BatchRules batch_rules(const Values& values) {
  protocol::BatchRules rules;
  rules.batch_bytes_max = static_cast<std::size_t>(values.integer("max.message.bytes"));
  rules.decompressed_bytes_max = static_cast<std::size_t>(values.integer("max.decompressed.message.bytes"));
  rules.segment_bytes_max = static_cast<std::size_t>(values.integer("segment.bytes"));
  rules.timestamp_type = values.text("message.timestamp.type") == "LogAppendTime"
                             ? protocol::TimestampType::kLogAppendTime
                             : protocol::TimestampType::kCreateTime;
  rules.timestamp_before_ms_max = values.integer("message.timestamp.before.max.ms");
  rules.timestamp_after_ms_max = values.integer("message.timestamp.after.max.ms");
  rules.compacted = values.list_holds("cleanup.policy", "compact");
  return rules;
}

std::optional<protocol::TargetCodec> recompression(const Values& values) {
  const std::string type = values.text("compression.type");
  if (type == "uncompressed") return protocol::TargetCodec{Codec::kNone};
  if (type == "snappy") return protocol::TargetCodec{Codec::kSnappy};
  const auto at_level = [&](Codec codec, std::string_view key) {
    return protocol::TargetCodec{codec, static_cast<int>(values.integer(key))};
  };
  constexpr std::string_view kGzipLevel = "compression.gzip.level";
  if (type == "gzip" && values.integer(kGzipLevel) == -1) return protocol::TargetCodec{Codec::kGzip};
  if (type == "gzip") return at_level(Codec::kGzip, kGzipLevel);
  if (type == "lz4") return at_level(Codec::kLz4, "compression.lz4.level");
  if (type == "zstd") return at_level(Codec::kZstd, "compression.zstd.level");
  return std::nullopt;  // producer
}

storage::FlushSettings flush_settings(const Values& values, const Config& broker) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  storage::FlushSettings flush;
  flush.broker_mode = flush_mode(broker.text("flush.mode"));
  if (values.given("flush.mode")) flush.topic_mode = flush_mode(values.text("flush.mode"));
  if (const std::int64_t messages = broker.integer("log.flush.interval.messages"); messages != kNever)
    flush.broker_interval_messages = messages;
  if (const auto messages = values.own_integer("flush.messages"); messages && *messages != kNever)
    flush.topic_messages = messages;
  constexpr std::int64_t kLongestMs = std::int64_t{100} * 365 * 24 * 60 * 60 * 1000;
  if (const std::int64_t interval_ms = values.integer("flush.ms"); interval_ms <= kLongestMs)
    flush.topic_interval = std::chrono::milliseconds(interval_ms);
  return flush;
}

}  // namespace

std::shared_ptr<const TopicSettings> derive_topic_settings(const TopicConfigs& own, const Config& broker) {
  const Values values(own, broker);
  auto settings = std::make_shared<TopicSettings>();
  settings->rules = batch_rules(values);
  settings->recompression = recompression(values);
  settings->in_sync_replicas_min = static_cast<std::int32_t>(values.integer("min.insync.replicas"));
  settings->flush = flush_settings(values, broker);
  settings->durability = storage::durability_of(settings->flush);
  settings->deletes = values.list_holds("cleanup.policy", "delete");
  return settings;
}

}  // namespace braid::broker
