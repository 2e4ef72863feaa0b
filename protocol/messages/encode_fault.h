#pragma once

#include <cstdint>

namespace braid::protocol {

/// Encoding meets what the message cannot say: a value for a field that the version does not have (and that may not be
/// dropped silently), a null where none is allowed, a string that is too long. `field` is "Struct.field". A programming
/// error: a build without NDEBUG aborts; a release build counts it and encodes without that value, so that a mistake in
/// one answer never takes the broker down.
void encode_fault(const char* field);

/// Faults so far in this process; any thread.
std::uint64_t encode_fault_count();

}  // namespace braid::protocol
