#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/topic_key.h"
#include "protocol/messages/error_code.h"

namespace braid::broker {

/// What is done to a key, by Kafka's numbers; a client may send others.
enum class ConfigOperation : std::int8_t { kSet = 0, kDelete = 1, kAppend = 2, kSubtract = 3 };

struct ConfigChange {
  std::string_view key;
  ConfigOperation operation = ConfigOperation::kSet;
  std::optional<std::string_view> value;
};

/// A topic's own configuration after a change, or why it may not be changed.
struct ChangedConfigs {
  TopicConfigs configs;
  protocol::ErrorCode error = protocol::ErrorCode::kNone;
  std::string message;  // for people

  bool good() const { return error == protocol::ErrorCode::kNone; }
};

/// `own` with the changes: all of them, or an error. Values are trimmed, and valid together. Appending to a key that
/// the topic does not have begins with what is in force. INVALID_REQUEST for a key twice, a value that is missing, an
/// unknown operation; else INVALID_CONFIG.
ChangedConfigs changed_configs(const TopicConfigs& own, const Config& broker, std::span<const ConfigChange> changes);

}  // namespace braid::broker
