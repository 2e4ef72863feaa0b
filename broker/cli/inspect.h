#pragma once

#include "broker/cli/inspect_options.h"

namespace braid::broker {

/// `braid inspect`: rows and findings to standard output, remarks and progress to standard error. Returns the exit
/// code: a failure after any finding, and when not all could be written.
int inspect(const InspectOptions& options);

}  // namespace braid::broker
