#include "broker/api/api_table.h"

#include <algorithm>
#include <array>

#include "broker/api/18_api_versions.h"
#include "protocol/base/check.h"

namespace braid::broker {
namespace {

using protocol::ApiKey;

/// All stable versions that the protocol has, advertised as they are served.
ServedApi whole(ApiKey key, Access access, Handler handler) {
  const protocol::Api* const api = protocol::find_api(static_cast<std::int16_t>(key));
  protocol::check(api != nullptr, "every served API has messages");
  return {api, api->version_min, api->version_max, api->version_min, false, access, handler};
}

ServedApi answering_any_version(ServedApi served) {
  served.answers_any_version = true;
  return served;
}

}  // namespace

std::span<const ServedApi> served_apis() {
  static const std::array kApis = {
      answering_any_version(whole(ApiKey::kApiVersions, Access::kBeforeLogin, answer_api_versions)),
  };
  return kApis;
}

const ServedApi* find_served(std::span<const ServedApi> apis, std::int16_t key) {
  const auto key_of = [](const ServedApi& served) { return static_cast<std::int16_t>(served.api->key); };
  const auto found = std::ranges::lower_bound(apis, key, {}, key_of);
  return found != apis.end() && key_of(*found) == key ? &*found : nullptr;
}

}  // namespace braid::broker
