#pragma once

#include <string_view>

#include "broker/api/request.h"
#include "protocol/base/result.h"

namespace braid::broker {

/// See the contract in the source file.
protocol::Result<Answer> answer_api_versions(RequestContext& context);

/// Letters, digits, `-` and `.`, a letter or digit first and last.
bool is_software_name(std::string_view text);

}  // namespace braid::broker
