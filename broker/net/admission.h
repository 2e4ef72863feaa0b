#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "broker/config/settings.h"
#include "protocol/base/clock.h"

namespace braid::broker {

/// Counts connections against max.connections and max.connections.per.ip. Owned by the loop that accepts; one thread.
class Admission {
 public:
  explicit Admission(ConnectionLimits limits) : limits_(std::move(limits)) {}

  /// Another connection from anywhere may be accepted.
  bool has_room() const { return total_ < limits_.total_max; }
  /// Counts one from `address`, unless that has its maximum already.
  bool admit(const std::string& address);
  /// One was accepted, whether it is admitted or not. How long to wait until the next one may be, so that a second's
  /// worth of them may come at once and then one after the other.
  std::chrono::nanoseconds accepted(protocol::Instant now);
  /// One that was admitted is closed.
  void release(const std::string& address);

  std::int64_t total() const { return total_; }
  std::size_t address_count() const { return by_address_.size(); }

 private:
  std::int64_t address_max(std::string_view address) const;

  const ConnectionLimits limits_;
  std::int64_t total_ = 0;
  protocol::Instant on_schedule_until_{};  // when all that were accepted would be, one after the other
  std::map<std::string, std::int64_t, std::less<>> by_address_;
};

}  // namespace braid::broker
