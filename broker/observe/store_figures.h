#pragma once

#include "broker/api/node.h"
#include "broker/observe/metrics_snapshot.h"

namespace braid::broker {

/// Adds what the lane owns: topics, partitions, the log. On the lane; some 100 ns a partition.
void add_store_figures(const Node& node, MetricsSnapshot& snapshot);

}  // namespace braid::broker
