#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braid::broker {

/// Kafka's container images give keys as variables: KAFKA_ and the key in upper case, with `.` as `_`, `_` as `__` and
/// `-` as `___`.

/// The key that a variable of this name sets; none when it sets none, such as KAFKA_HEAP_OPTS, which is for the Java
/// machine.
std::optional<std::string> key_of_variable(std::string_view variable);

}  // namespace braid::broker
