#include "broker/api/features.h"

namespace braid::broker {

std::span<const Feature> served_features() { return {}; }

}  // namespace braid::broker
