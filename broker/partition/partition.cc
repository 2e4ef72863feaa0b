#include "broker/partition/partition.h"

#include "protocol/base/check.h"

namespace braid::broker {

void Partition::raise_high_watermark(storage::Offset end, std::size_t bytes) {
  protocol::check(end >= high_watermark_, "a high watermark never falls");
  high_watermark_ = end;
  for (auto next = followers_.begin(); next != followers_.end();) (next++)->partition_changed(bytes);
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
