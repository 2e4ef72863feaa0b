#pragma once

#include "broker/api/request.h"
#include "protocol/base/result.h"

namespace braid::broker {

/// See the contract in the source file.
protocol::Result<Answer> answer_elect_leaders(RequestContext& context);

}  // namespace braid::broker
