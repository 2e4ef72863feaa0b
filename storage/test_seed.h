#pragma once

#include <cstdint>

namespace braid::storage {

/// The seed of a random test: BRAID_SEED if set, else another one each time. Printed, so that a failure can be
/// repeated.
std::uint64_t test_seed();

/// How much a random test does: `quick`, or `full` when BRAID_FULL is set.
std::uint64_t test_scale(std::uint64_t quick, std::uint64_t full);

/// Says at its end what a random test did, for the summary of `./dev full`: "counted: 100000 random operations".
void print_count(std::uint64_t count, const char* what);

}  // namespace braid::storage
