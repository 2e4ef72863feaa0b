#include "protocol/messages/api.h"

#include <algorithm>

namespace braid::protocol {

const Api* find_api(std::int16_t key) {
  const std::span<const Api> apis = all_apis();
  const auto found =
      std::ranges::lower_bound(apis, key, {}, [](const Api& api) { return static_cast<std::int16_t>(api.key); });
  return found != apis.end() && static_cast<std::int16_t>(found->key) == key ? &*found : nullptr;
}

}  // namespace braid::protocol
