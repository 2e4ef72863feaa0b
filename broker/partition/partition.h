#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "broker/metadata/topic_settings.h"
#include "broker/partition/deadlines.h"
#include "broker/partition/producer_table.h"
#include "broker/partition/topic_counters.h"
#include "protocol/base/result.h"
#include "storage/types.h"

namespace braid::broker {

class Partition;

/// Wants to know when a partition has news: records became visible, its start moved, or it is gone. Ends its interest
/// by being destroyed. The lane's.
class Follower : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// `bytes` of records became visible; 0 for other news.
  virtual void partition_changed(std::size_t bytes) = 0;
  /// The partition is about to end; nobody may touch it afterwards.
  virtual void partition_removed() = 0;

 protected:
  ~Follower() = default;
};

/// What the broker keeps of one partition besides its records: how far readers see, its producers, its readers.
/// The lane's, as a whole.
class Partition : public boost::intrusive::list_base_hook<boost::intrusive::tag<struct UnkeptPartitions>,
                                                          boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// Its place among those that the ProducerKeeper has to look at.
  using UnkeptHook = boost::intrusive::list_base_hook<boost::intrusive::tag<UnkeptPartitions>,
                                                      boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

  struct Place {
    storage::TopicId topic;
    std::string topic_name;
    std::int32_t index = 0;
    storage::PartitionId stored;  // in the store
  };

  /// `counters`: of its topic.
  Partition(Place place, std::shared_ptr<const TopicSettings> settings, storage::Offset high_watermark,
            storage::LeaderEpoch leader_epoch, std::shared_ptr<TopicCounters> counters)
      : place_(std::move(place)),
        counters_(std::move(counters)),
        leader_epoch_(leader_epoch),
        settings_(std::move(settings)),
        high_watermark_(high_watermark) {}

  const Place& place() const { return place_; }
  /// Raised only when a store is opened.
  storage::LeaderEpoch leader_epoch() const { return leader_epoch_; }
  /// A client that knows the partition by this epoch may use it; -1: it does not say. fenced_leader_epoch,
  /// unknown_leader_epoch (KIP-320).
  protocol::Result<void> check_leader_epoch(std::int32_t known) const;
  const TopicSettings& settings() const { return *settings_; }
  TopicCounters& counters() { return *counters_; }
  void set_settings(std::shared_ptr<const TopicSettings> settings) { settings_ = std::move(settings); }

  /// Readers see the records below it: those that no failure can take back.
  storage::Offset high_watermark() const { return high_watermark_; }
  /// It never falls. `bytes`: of the records that become visible.
  void raise_high_watermark(storage::Offset end, std::size_t bytes);
  /// The log start moved, or something else that readers look at.
  void changed();
  void removed();

  ProducerTable& producers() { return producers_; }
  const ProducerTable& producers() const { return producers_; }
  storage::FlushCount& flush_count() { return flush_count_; }
  /// Of flush.ms, the shard's; null: not needed yet.
  std::unique_ptr<Deadline>& sync_due() { return sync_due_; }
  void follow(Follower& follower) { followers_.push_back(follower); }

 private:
  using Followers = boost::intrusive::list<Follower, boost::intrusive::constant_time_size<false>>;

  const Place place_;
  const std::shared_ptr<TopicCounters> counters_;
  const storage::LeaderEpoch leader_epoch_;
  std::shared_ptr<const TopicSettings> settings_;
  storage::Offset high_watermark_;
  ProducerTable producers_;
  storage::FlushCount flush_count_;
  std::unique_ptr<Deadline> sync_due_;
  Followers followers_;
};

}  // namespace braid::broker
