#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace braid::protocol {

/// A topic, cluster or directory id: 16 bytes as on the wire (big-endian halves); all zero means unset.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  constexpr auto operator<=>(const Uuid&) const = default;
  constexpr bool unset() const { return *this == Uuid{}; }
};

/// Most significant half first, as Kafka's Java class is built.
Uuid uuid_from_halves(std::uint64_t most_significant, std::uint64_t least_significant);

/// 22 characters of URL-safe base64 without padding, as Kafka prints ids.
std::string to_text(const Uuid& uuid);

}  // namespace braid::protocol
