#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "broker/config/topic_key.h"
#include "protocol/records/batch_validation.h"
#include "protocol/records/recompression.h"
#include "storage/commitlog/flush_policy.h"

namespace braid::broker {

/// A topic's configuration in the types that the code uses. Immutable.
struct TopicSettings {
  protocol::BatchRules rules;                          // but for `now` and what a request says
  std::optional<protocol::TargetCodec> recompression;  // compression.type; none: as the producer sent it
  std::int32_t in_sync_replicas_min = 1;
  storage::FlushSettings flush;
  storage::Durability durability = storage::Durability::kSynced;  // what the high watermark waits for
  bool deletes = true;                                            // cleanup.policy holds delete
};

/// Values were checked when they were set. `broker` gives what the topic does not say.
std::shared_ptr<const TopicSettings> derive_topic_settings(const TopicConfigs& own, const Config& broker);

}  // namespace braid::broker
