#pragma once

#include <cstdint>
#include <string_view>

namespace braid::broker {

/// Where a classic group stands, in Kafka's words.
enum class GroupState : std::uint8_t {
  kEmpty,                // no members; offsets may be there
  kPreparingRebalance,   // members are joining
  kCompletingRebalance,  // all have joined; the leader's assignment is awaited
  kStable,
  kDead,  // only ever told: such a group is not there
};

/// As DescribeGroups and ListGroups write it.
constexpr std::string_view name_of(GroupState state) {
  switch (state) {
    case GroupState::kEmpty:
      return "Empty";
    case GroupState::kPreparingRebalance:
      return "PreparingRebalance";
    case GroupState::kCompletingRebalance:
      return "CompletingRebalance";
    case GroupState::kStable:
      return "Stable";
    case GroupState::kDead:
      return "Dead";
  }
  return {};
}

}  // namespace braid::broker
