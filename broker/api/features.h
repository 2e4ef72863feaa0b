#pragma once

#include <span>

#include "broker/api/request.h"

namespace braid::broker {

/// The features that work here, as ApiVersions lists them. Clients act on them: a listed transaction.version of 2 makes
/// producers use the second transaction protocol, and tools read the Kafka version that is claimed from
/// metadata.version. So a feature is listed when what it promises works, which none does yet.
std::span<const Feature> served_features();

}  // namespace braid::broker
