#pragma once

#include <cstdint>
#include <span>

#include "broker/api/request.h"
#include "protocol/base/result.h"
#include "protocol/messages/api.h"

namespace braid::broker {

/// Who may send a request.
enum class Access {
  kBeforeLogin,  // anyone, on any listener, also before authentication
  kAfterLogin,   // whoever has logged in, where a listener asks for that
};

/// Answers a request, or promises to. An error: the bytes are no such request, and its connection must be closed.
using Handler = protocol::Result<Answer> (*)(RequestContext& context);

/// One row of the table from which dispatch and ApiVersions are derived. An API is listed only when all of its versions
/// are complete.
struct ServedApi {
  const protocol::Api* api = nullptr;
  std::int16_t served_min = 0;
  std::int16_t served_max = 0;
  std::int16_t advertised_min = 0;   // may be below served_min where a raised minimum makes clients switch features off
  bool answers_any_version = false;  // the handler is called for unknown versions too
  bool overlaps = false;  // may start while earlier requests of its connection that overlap too are unanswered
  Access access = Access::kBeforeLogin;
  Handler handler = nullptr;

  bool serves(std::int16_t version) const { return version >= served_min && version <= served_max; }
};

/// All APIs that this broker serves, by rising key. Any thread.
std::span<const ServedApi> served_apis();

/// Null when `apis` has no such key.
const ServedApi* find_served(std::span<const ServedApi> apis, std::int16_t key);

}  // namespace braid::broker
