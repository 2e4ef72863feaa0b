#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/config.h"

namespace braid::broker {

/// Kafka's container images give keys as variables: KAFKA_ and the key in upper case, with `.` as `_`, `_` as `__` and
/// `-` as `___`.

/// The key that a variable of this name sets; none when it sets none, such as KAFKA_HEAP_OPTS, which is for the Java
/// machine.
std::optional<std::string> key_of_variable(std::string_view variable);

/// The entries of all variables that set a key; `variables` are NAME=VALUE.
std::vector<ConfigEntry> environment_entries(std::span<const std::string_view> variables);

}  // namespace braid::broker
