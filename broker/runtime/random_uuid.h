#pragma once

#include "protocol/base/uuid.h"

namespace braid::broker {

/// A new id from the machine's entropy; never unset, and its text never begins with `-`, so that it can stand on a
/// command line. At start-up only: it may throw where there is no entropy.
protocol::Uuid random_uuid();

}  // namespace braid::broker
