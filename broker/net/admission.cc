#include "broker/net/admission.h"

#include <algorithm>

#include "protocol/base/check.h"

namespace braid::broker {

bool Admission::admit(const std::string& address) {
  const auto known = by_address_.find(address);
  const std::int64_t open = known == by_address_.end() ? 0 : known->second;
  if (open >= address_max(address)) return false;
  by_address_[address] = open + 1;
  ++total_;
  return true;
}

std::chrono::nanoseconds Admission::accepted(protocol::Instant now) {
  using std::chrono::nanoseconds;
  constexpr nanoseconds kBurst = std::chrono::seconds(1);
  const nanoseconds each = kBurst / std::max<std::int64_t>(1, limits_.rate_max);
  on_schedule_until_ = std::max(on_schedule_until_, now) + each;
  return std::max(nanoseconds(0), nanoseconds(on_schedule_until_ - now) - kBurst);
}

void Admission::release(const std::string& address) {
  const auto known = by_address_.find(address);
  protocol::check(known != by_address_.end(), "only admitted connections are released");
  if (--known->second == 0) by_address_.erase(known);
  --total_;
}

std::int64_t Admission::address_max(std::string_view address) const {
  const auto other = limits_.per_address_overrides.find(address);
  return other == limits_.per_address_overrides.end() ? limits_.per_address_max : other->second;
}

}  // namespace braid::broker
