#pragma once

#include "protocol/base/clock.h"

namespace braid::broker {

/// The machine's clocks. The only place that reads them; everything else is given a Clock or a time.
class SystemClock final : public protocol::Clock {
 public:
  protocol::Instant now() const override;
  protocol::WallTime wall_now() const override;
};

}  // namespace braid::broker
