#include "protocol/messages/encode_fault.h"

#include <atomic>

#include "protocol/base/check.h"

namespace braid::protocol {
namespace {

std::atomic<std::uint64_t> encode_faults{0};

}  // namespace

void encode_fault([[maybe_unused]] const char* field) {
#ifndef NDEBUG
  check(false, field);
#endif
  encode_faults.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t encode_fault_count() { return encode_faults.load(std::memory_order_relaxed); }

}  // namespace braid::protocol
