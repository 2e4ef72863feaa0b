#pragma once

#include <cstdint>

#include "protocol/base/strong_int.h"

namespace braid::protocol {

/// Ids of Kafka's that are integers, so that they cannot be swapped with other integers of a message. -1 is "none" in
/// both. Names (topic, group, transactional id) stay std::string_view: docs/decisions/message_structs.md.
using BrokerId = StrongInt<struct BrokerIdTag, std::int32_t>;
using ProducerId = StrongInt<struct ProducerIdTag, std::int64_t>;

}  // namespace braid::protocol
