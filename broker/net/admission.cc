#include "broker/net/admission.h"

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
