#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "protocol/base/arena.h"

namespace braid::broker {

/// What `tell` makes of each of `asked`, in order, as an array of the arena. Empty when the arena has no room for it,
/// which its exhausted() says: such a request has no answer.
template <class Asked, class Tell>
auto mapped(protocol::Arena& arena, std::span<Asked> asked, Tell tell) {
  using Told = std::invoke_result_t<Tell, Asked&>;
  const std::span<Told> told = arena.array<Told>(asked.size());
  for (std::size_t i = 0; i < told.size(); ++i) told[i] = tell(asked[i]);
  return told;
}

}  // namespace braid::broker
