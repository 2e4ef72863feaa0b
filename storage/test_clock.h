#pragma once

#include "protocol/base/clock.h"

namespace braid::storage {

/// The machine's clock, for tests with real threads.
class TestClock final : public protocol::Clock {
 public:
  protocol::Instant now() const override;
  protocol::WallTime wall_now() const override;
};

}  // namespace braid::storage
