#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/metadata/state.h"
#include "broker/partition/shard.h"
#include "broker/runtime/published.h"
#include "protocol/records/compression.h"
#include "protocol/records/record_batch_builder.h"
#include "storage/errors.h"

namespace braid::broker {

/// What a state machine decides: records that make it so. None: nothing changes.
using MetadataDecision = std::vector<MetadataRecord>;

/// Topics, their configurations and producer-id blocks, as an internal partition of the shard's own log: records are
/// appended, replayed at once, and answered when they are synced. The record decides that a topic exists; the store's
/// partitions follow it, and a start makes the two agree. All of it is the lane's but image().
class MetadataLog {
 public:
  /// Both outlive it.
  MetadataLog(Shard& shard, const Config& broker);

  /// Before anything is served, with the shard's threads running: reads what there is, makes the log where there is
  /// none, opens the topics' partitions, finishes what an end in the middle left undone. The text says why the broker
  /// can't start; empty: it can.
  boost::asio::awaitable<std::string> start(std::string_view cluster_id_if_new);

  /// Any thread.
  std::shared_ptr<const MetadataImage> image() const { return image_.load(); }
  const MetadataState& state() const { return state_; }
  /// The partition that the records are in, once started. The lane's.
  const Partition& log() const { return *log_; }
  /// Any thread, once started. They are raised only by a start.
  std::int32_t leader_epoch(const protocol::Uuid& topic, std::int32_t partition) const;

  /// Calls `decide` and makes what it decides so; again when the log had no room at first, as the world may have
  /// changed meanwhile. Where the records end in the log; disk_full, failed.
  template <class Decide>
  boost::asio::awaitable<protocol::Result<storage::LogPosition>> commit(Decide decide);

  /// Makes the partitions [first, end) of a topic. Where they are durable; disk_full, failed.
  boost::asio::awaitable<protocol::Result<storage::LogPosition>> create_partitions(MetadataImage::TopicPointer topic,
                                                                                   std::int32_t first,
                                                                                   std::int32_t end);
  /// All of a topic that is gone from the image.
  boost::asio::awaitable<protocol::Result<storage::LogPosition>> remove_partitions(MetadataImage::TopicPointer topic);
  /// Every open partition of the topic takes its settings from the image.
  void apply_settings(const TopicImage& topic);

 private:
  protocol::Result<storage::LogPosition> append(std::span<const MetadataRecord> records);
  protocol::Result<void> replay_all();
  protocol::Result<void> replay_batch(const protocol::RecordBatch& batch);
  boost::asio::awaitable<protocol::Result<void>> open_log(std::string_view cluster_id_if_new);
  boost::asio::awaitable<protocol::Result<void>> make_agree();
  void compact();
  void publish() { image_.publish(state_.image()); }

  Shard& shard_;
  MetadataState state_;
  Published<MetadataImage> image_;
  std::map<std::pair<protocol::Uuid, std::int32_t>, std::int32_t> leader_epochs_;  // above 0; constant once started
  Partition* log_ = nullptr;
  protocol::Compressor compressor_;
  std::int64_t bytes_since_compaction_ = 0;
  std::int64_t compacted_bytes_ = 0;
  bool compacting_ = false;
};

template <class Decide>
boost::asio::awaitable<protocol::Result<storage::LogPosition>> MetadataLog::commit(Decide decide) {
  while (true) {
    const MetadataDecision decision = decide();
    if (decision.empty()) co_return storage::LogPosition{0};
    protocol::Result<storage::LogPosition> appended = append(decision);
    if (appended.has_value() || appended.error() != make_error_code(storage::StorageErrc::not_yet)) co_return appended;
    co_await shard_.moved();
  }
}

}  // namespace braid::broker
