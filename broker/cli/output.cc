#include "broker/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "broker/cli/exit_code.h"

namespace braid::broker {

int print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return kExitOk;
  std::fprintf(stderr, "braid: can't write to standard output: %s\n", std::strerror(errno));
  return kExitFailure;
}

}  // namespace braid::broker
