#include "broker/observe/metrics_page.h"

#include "broker/observe/metrics_parts.h"

namespace braid::broker {

void add_process(const MetricsSnapshot& snapshot, const ProcessFigures& process, MetricFamilies& page) {
  constexpr int kRunning = 3;
  constexpr int kPendingControlledShutdown = 6;
  page.gauge("kafka_server_kafkaserver_brokerstate", "3: running, 6: stopping")
      .add(snapshot.running ? kRunning : kPendingControlledShutdown);
  page.counter("kafka_server_kafkaserver_linux_disk_read_bytes", "bytes that the process read from disks")
      .add(process.disk_read_bytes);
  page.counter("kafka_server_kafkaserver_linux_disk_write_bytes", "bytes that the process wrote to disks")
      .add(process.disk_written_bytes);
  page.counter("process_cpu_seconds_total", "processor time of the process").add(process.cpu_seconds);
  page.gauge("process_resident_memory_bytes", "memory of the process").add(process.resident_bytes);
  page.gauge("process_open_fds", "open descriptors of the process").add(process.open_descriptors);
  page.gauge("process_start_time_seconds", "when the process started, since 1970").add(process.start_time_seconds);
}

std::string metrics_page(const MetricsSnapshot& snapshot, const ProcessFigures& process) {
  MetricFamilies page;
  add_requests(snapshot, page);
  add_connections(snapshot, page);
  add_topics(snapshot, page);
  if (snapshot.detail == MetricsDetail::kPartitions) add_partitions(snapshot, page);
  add_cluster(snapshot, page);
  add_log(snapshot, page);
  add_process(snapshot, process, page);
  return page.finish();
}

}  // namespace braid::broker
