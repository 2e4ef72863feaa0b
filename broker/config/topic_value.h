#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/config/topic_key.h"

namespace braid::broker {

/// Why a topic may not have this value of this key, for a person; none: it may. Unknown keys are among the reasons.
std::optional<std::string> topic_objection(std::string_view key, std::string_view value);
/// The same for all of them, and for what they say together with what the broker says.
std::optional<std::string> topic_objection(const TopicConfigs& configs, const Config& broker);

}  // namespace braid::broker
