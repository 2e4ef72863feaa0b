#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "protocol/base/clock.h"
#include "storage/log_store.h"

/// When acknowledgements are due and when the log is synced: the settings, as tables. Pure.
namespace braid::storage {

enum class FlushMode : std::uint8_t { kSync, kAsync };

/// What a topic and the broker say; a topic's value goes before the broker's.
struct FlushSettings {
  FlushMode broker_mode = FlushMode::kSync;                 // flush.mode
  std::optional<FlushMode> topic_mode;                      // the topic's flush.mode
  std::optional<std::int64_t> broker_interval_messages;     // log.flush.interval.messages
  std::optional<std::int64_t> topic_messages;               // flush.messages
  std::optional<std::chrono::milliseconds> topic_interval;  // flush.ms
};

/// What the high watermark of such a topic waits for. "A sync after each message" asks for it whatever the mode.
constexpr Durability durability_of(const FlushSettings& settings) {
  const std::optional<std::int64_t> messages =
      settings.topic_messages ? settings.topic_messages : settings.broker_interval_messages;
  if (messages == 1) return Durability::kSynced;
  return settings.topic_mode.value_or(settings.broker_mode) == FlushMode::kSync ? Durability::kSynced
                                                                                : Durability::kWritten;
}

/// Counts a partition's records towards flush.messages = N and flush.ms = T: a sync at the latest after N records or T.
/// One thread.
class FlushCount {
 public:
  /// True: ask the store for a sync now; the count begins anew.
  bool appended(const FlushSettings& settings, std::int64_t records, protocol::Instant now) {
    if (records_ == 0) since_ = now;
    records_ += records;
    const bool due = (settings.topic_messages && records_ >= *settings.topic_messages) || overdue(settings, now);
    if (due) records_ = 0;
    return due;
  }
  bool overdue(const FlushSettings& settings, protocol::Instant now) const {
    return records_ > 0 && settings.topic_interval && now - since_ >= *settings.topic_interval;
  }

 private:
  std::int64_t records_ = 0;
  protocol::Instant since_{};
};

/// How far behind the written position the synced one may be when nobody asks for a sync.
struct AsyncBounds {
  std::chrono::milliseconds interval{500};      // flush.interval.ms
  std::int64_t bytes = std::int64_t{64} << 20;  // flush.bytes
};

}  // namespace braid::storage
