#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "broker/config/topic_key.h"
#include "broker/metadata/topic_settings.h"
#include "protocol/base/uuid.h"

namespace braid::broker {

/// A topic as clients see it. Immutable.
struct TopicImage {
  protocol::Uuid id;
  std::string name;
  std::int32_t partition_count = 0;
  TopicConfigs configs;  // its own
  std::shared_ptr<const TopicSettings> settings;
};

/// All that the metadata log says, at one moment. Immutable; shared by all who read it.
struct MetadataImage {
  using TopicPointer = std::shared_ptr<const TopicImage>;

  std::map<std::string, TopicPointer, std::less<>> by_name;
  std::map<protocol::Uuid, TopicPointer> by_id;
  std::size_t partition_count = 0;

  /// Null when there is none.
  const TopicImage* find(std::string_view name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second.get();
  }
  const TopicImage* find(const protocol::Uuid& id) const {
    const auto found = by_id.find(id);
    return found == by_id.end() ? nullptr : found->second.get();
  }
};

/// Topics that the broker keeps for itself and clients may only read.
bool is_internal_topic(std::string_view name);

/// 1 to 249 of letters, digits, `.`, `_` and `-`, and neither `.` nor `..`: a name may become a directory.
bool is_topic_name(std::string_view name);

}  // namespace braid::broker
