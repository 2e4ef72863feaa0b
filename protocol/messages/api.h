#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/messages/api_key.h"

namespace braid::protocol {

/// No version has it.
inline constexpr std::int16_t kNoVersion = 32767;
inline constexpr std::int16_t kNeverFlexible = kNoVersion;

/// What the protocol says about one request type. The rows are generated from protocol/schema; which of them a broker
/// serves is the broker's decision. Constant for the life of the process; any thread.
struct Api {
  ApiKey key{};
  std::string_view name;  // "ListOffsets"
  std::int16_t version_min = 0;
  std::int16_t version_max = 0;           // the newest stable one
  std::int16_t version_max_unstable = 0;  // the newest one that has an encoding
  std::int16_t flexible_from = kNeverFlexible;
  bool on_broker = false;
  bool on_controller = false;
  bool cluster_action = false;  // needs the right CLUSTER_ACTION
  bool forwarded_to_controller = false;
  std::int16_t throttle_time_from = kNoVersion;  // responses have throttle_time_ms
  /// Clients wait by themselves from here; below, the broker holds the response back.
  std::int16_t client_throttles_from = kNoVersion;

  bool flexible(std::int16_t version) const { return version >= flexible_from; }
  /// 2 for flexible versions, else 1.
  std::int16_t request_header_version(std::int16_t version) const { return flexible(version) ? 2 : 1; }
  /// 1 for flexible versions, else 0. ApiVersions has 0 always: a client must be able to read an answer that it did not
  /// expect.
  std::int16_t response_header_version(std::int16_t version) const {
    return flexible(version) && key != ApiKey::kApiVersions ? 1 : 0;
  }
};

/// All request types that have messages here, by rising key.
std::span<const Api> all_apis();
/// Null for a key that has none.
const Api* find_api(std::int16_t key);

}  // namespace braid::protocol
