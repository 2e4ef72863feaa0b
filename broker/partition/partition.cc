#include "broker/partition/partition.h"

#include "broker/partition/partition_errc.h"
#include "protocol/base/check.h"

namespace braid::broker {

void Partition::raise_high_watermark(storage::Offset end, std::size_t bytes) {
  protocol::check(end >= high_watermark_, "a high watermark never falls");
  high_watermark_ = end;
  for (auto next = followers_.begin(); next != followers_.end();) (next++)->partition_changed(bytes);
}

protocol::Result<void> Partition::check_leader_epoch(std::int32_t known) const {
  if (known < 0 || known == leader_epoch_.value) return protocol::ok();
  return make_error_code(known < leader_epoch_.value ? PartitionErrc::fenced_leader_epoch
                                                     : PartitionErrc::unknown_leader_epoch);
}

void Partition::changed() {
  for (auto next = followers_.begin(); next != followers_.end();) (next++)->partition_changed(0);
}

void Partition::removed() {
  UnkeptHook::unlink();
  while (!followers_.empty()) {
    Follower& follower = followers_.front();
    followers_.pop_front();
    follower.partition_removed();
  }
}

}  // namespace braid::broker
