#pragma once

#include <string>

#include "broker/observe/metrics_snapshot.h"
#include "broker/runtime/process_figures.h"
#include "protocol/base/clock.h"

namespace braid::broker {

/// The page in Prometheus' text form; docs/operating.md lists what is on it. Any thread.
std::string metrics_page(const MetricsSnapshot& snapshot, const ProcessFigures& process);

}  // namespace braid::broker
