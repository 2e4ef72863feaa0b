#pragma once

#include "broker/observe/metric_families.h"
#include "broker/observe/metrics_snapshot.h"
#include "broker/runtime/process_figures.h"

/// The parts of the metrics page. Names are those that Kafka's users have from jmx_exporter's rules for Kafka and from
/// kafka_exporter; what Kafka does not have begins with braid_.
namespace braid::broker {

void add_requests(const MetricsSnapshot& snapshot, MetricFamilies& page);
void add_connections(const MetricsSnapshot& snapshot, MetricFamilies& page);
void add_topics(const MetricsSnapshot& snapshot, MetricFamilies& page);
void add_partitions(const MetricsSnapshot& snapshot, MetricFamilies& page);
void add_cluster(const MetricsSnapshot& snapshot, MetricFamilies& page);
void add_log(const MetricsSnapshot& snapshot, MetricFamilies& page);
void add_process(const MetricsSnapshot& snapshot, const ProcessFigures& process, MetricFamilies& page);

}  // namespace braid::broker
