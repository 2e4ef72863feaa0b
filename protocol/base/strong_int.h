#pragma once

#include <compare>
#include <cstddef>
#include <string_view>  // for std::hash, at a third of what <functional> costs every message

namespace braid::protocol {

/// An integer that can't be swapped with another of the same width: struct OffsetTag; using Offset =
/// StrongInt<OffsetTag, std::int64_t>. Arithmetic is on `value`, in the open.
template <class Tag, class Integer>
struct StrongInt {
  using ValueType = Integer;

  Integer value{};

  constexpr StrongInt() = default;
  constexpr explicit StrongInt(Integer v) : value(v) {}
  constexpr auto operator<=>(const StrongInt&) const = default;
};

}  // namespace braid::protocol

template <class Tag, class Integer>
struct std::hash<braid::protocol::StrongInt<Tag, Integer>> {
  std::size_t operator()(const braid::protocol::StrongInt<Tag, Integer>& strong) const noexcept {
    return std::hash<Integer>{}(strong.value);
  }
};
