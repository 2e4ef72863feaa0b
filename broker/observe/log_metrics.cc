#include <cstdint>
#include <numeric>

#include "broker/observe/metrics_parts.h"

namespace braid::broker {

void add_log(const MetricsSnapshot& snapshot, MetricFamilies& page) {
  constexpr double kMicrosecond = 1e-6;
  const Shard::LogFigures& log = snapshot.log;
  const storage::Progress& progress = log.progress;
  const MetricFamilies::Labels layout = {{"layout", snapshot.layout}};
  page.gauge("kafka_log_logmanager_offlinelogdirectorycount", "1: the disk has failed, and the process is ending")
      .add(progress.failed ? 1 : 0);
  page.counter("braid_commitlog_appended_position", "where the log ends, in bytes since its begin")
      .add(log.appended.value, layout);
  page.counter("braid_commitlog_written_position", "up to where it is written: safe from a crash of the process")
      .add(progress.written.value, layout);
  page.counter("braid_commitlog_synced_position", "up to where it is on the disk: safe from a loss of power")
      .add(progress.synced.value, layout);
  page.gauge("braid_commitlog_flush_behind_bytes", "appended and not on the disk yet")
      .add(log.appended.value - progress.synced.value, layout);
  page.begin(prometheus::MetricType::Histogram, "braid_commitlog_append_seconds", "one batch into the log's tail")
      .histogram(log.appends_us, kMicrosecond, layout);
  page.begin(prometheus::MetricType::Histogram, "braid_commitlog_write_seconds", "groups that were written, not synced")
      .histogram(log.groups.written_us, kMicrosecond, layout);
  page.begin(prometheus::MetricType::Histogram, "braid_commitlog_flush_seconds", "groups that were written and synced")
      .histogram(log.groups.synced_us, kMicrosecond, layout);
  page.begin(prometheus::MetricType::Histogram, "braid_commitlog_group_commit_batch",
             "bytes of a group: what one write took to the disk")
      .histogram(log.groups.bytes, 1, layout);
  const auto& flushes = log.groups.synced_us.buckets;
  page.counter("kafka_log_logflushstats_logflushrateandtimems_count", "syncs of the log")
      .add(std::accumulate(flushes.begin(), flushes.end(), std::uint64_t{0}));
  page.gauge("braid_memory_limit_bytes", "what a part of the memory may take at most")
      .add(snapshot.tail_bytes_max, {{"of", "commitlog_tail"}})
      .add(snapshot.request_memory.limit_bytes, {{"of", "requests"}})
      .add(snapshot.fetch_memory.limit_bytes, {{"of", "fetches"}});
  page.gauge("braid_memory_used_bytes", "what it takes")
      .add(snapshot.request_memory.used_bytes, {{"of", "requests"}})
      .add(snapshot.fetch_memory.used_bytes, {{"of", "fetches"}});
  page.gauge("braid_memory_waiting", "connections, or fetches, that wait for it")
      .add(snapshot.request_memory.waiting, {{"of", "requests"}})
      .add(snapshot.fetch_memory.waiting, {{"of", "fetches"}});
  page.gauge("braid_fetch_sessions", "fetch sessions that consumers have").add(snapshot.fetch_sessions);
  page.gauge("braid_produce_waiting_for_room", "Produce requests that wait until the log has room")
      .add(snapshot.waiting_for_room);
}

}  // namespace braid::broker
