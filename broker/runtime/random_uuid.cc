#include "broker/runtime/random_uuid.h"

#include <cstdint>
#include <random>

namespace braid::broker {

protocol::Uuid random_uuid() {
  std::random_device entropy;
  const auto half = [&] { return std::uint64_t{entropy()} << 32 | entropy(); };
  while (true) {
    const protocol::Uuid uuid = protocol::uuid_from_halves(half(), half());
    if (!uuid.unset() && protocol::to_text(uuid).front() != '-') return uuid;
  }
}

}  // namespace braid::broker
