#pragma once

#include <cstdint>

namespace braid::broker {

/// Bit fields of what a client may do, bit n for Kafka's ACL operation n. Without an authorizer that is everything.
inline constexpr std::int32_t kOperationsNotAsked = -2147483648;
inline constexpr std::int32_t kTopicOperations = 3576;    // read to describe, and configs
inline constexpr std::int32_t kGroupOperations = 3400;    // read, delete, describe, and configs
inline constexpr std::int32_t kClusterOperations = 8096;  // create, alter to cluster action, configs, idempotent write

}  // namespace braid::broker
