#pragma once

#include "broker/cli/command_line.h"

namespace braid::broker {

/// `braid serve`: loads the configuration, then checks, prints or serves. Returns the exit code.
int serve(const ServeOptions& options);

}  // namespace braid::broker
