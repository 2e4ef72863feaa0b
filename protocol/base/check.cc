#include "protocol/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace braid::protocol {

void check_failed(const char* what, const std::source_location& where) {
  std::fprintf(stderr, "braid: %s:%u: check failed in %s: %s\n", where.file_name(), where.line(), where.function_name(),
               what);
  std::abort();
}

}  // namespace braid::protocol
