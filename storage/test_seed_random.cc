#include <cstdio>
#include <cstdlib>
#include <random>

#include "storage/test_seed.h"

namespace braid::storage {

std::uint64_t test_seed() {
  const char* const given = std::getenv("BRAID_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("BRAID_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

std::uint64_t test_scale(std::uint64_t quick, std::uint64_t full) {
  return std::getenv("BRAID_FULL") != nullptr ? full : quick;
}

void print_count(std::uint64_t count, const char* what) {
  std::printf("counted: %llu %s\n", static_cast<unsigned long long>(count), what);
}

}  // namespace braid::storage
