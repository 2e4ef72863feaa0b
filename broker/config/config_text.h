#pragma once

#include <string>

#include "broker/config/config.h"

namespace braid::broker {

/// All keys with the value in force and where it comes from; sensitive and unknown ones with their value hidden.

/// A line a key: KEY, VALUE and SOURCE, separated by tabs; control characters in values are escaped.
std::string config_as_text(const Config& config);
/// {"KEY": {"value": "…" or null, "source": "…", "where": "…", "type": "…"}, …}
std::string config_as_json(const Config& config);

}  // namespace braid::broker
