#include <array>
#include <string>

#include "broker/observe/metrics_parts.h"

namespace braid::broker {
namespace {

struct TopicMetric {
  const char* name;
  std::uint64_t TopicCounters::* member;
  const char* help;
};
constexpr std::array kTopicMetrics = {
    TopicMetric{"messagesin", &TopicCounters::messages_in, "records appended"},
    TopicMetric{"bytesin", &TopicCounters::bytes_in, "bytes of batches appended"},
    TopicMetric{"bytesout", &TopicCounters::bytes_out, "bytes of batches sent to consumers"},
    TopicMetric{"bytesrejected", &TopicCounters::bytes_rejected, "bytes of batches that were too large"},
    TopicMetric{"totalproducerequests", &TopicCounters::produce_requests, "partitions of Produce requests"},
    TopicMetric{"totalfetchrequests", &TopicCounters::fetch_requests, "partitions looked at for answers to Fetch"},
    TopicMetric{"failedproducerequests", &TopicCounters::failed_produce_requests, "of them, refused"},
    TopicMetric{"failedfetchrequests", &TopicCounters::failed_fetch_requests, "of them, answered with an error"},
    TopicMetric{"invalidmessagecrcrecords", &TopicCounters::invalid_crc, "batches with a wrong CRC"},
    TopicMetric{"invalidmagicnumberrecords", &TopicCounters::invalid_magic, "batches of another format"},
    TopicMetric{"nokeycompactedtopicrecords", &TopicCounters::without_key,
                "batches refused for a record without a key, on a compacted topic"},
    TopicMetric{"invalidoffsetorsequencerecords", &TopicCounters::out_of_sequence,
                "batches with wrong offsets or without a sequence"}};

using Labels = MetricFamilies::Labels;

}  // namespace

void add_topics(const MetricsSnapshot& snapshot, MetricFamilies& page) {
  for (const TopicMetric& metric : kTopicMetrics) {
    page.counter(std::string("kafka_server_brokertopicmetrics_") + metric.name + "_total",
                 std::string(metric.help) + "; without a topic: of all");
    page.add(snapshot.all_topics.*metric.member);
    for (const TopicFigures& topic : snapshot.topics)
      if (topic.counters != TopicCounters{}) page.add(topic.counters.*metric.member, {{"topic", topic.name}});
  }
  if (snapshot.detail == MetricsDetail::kBroker) return;
  page.gauge("kafka_topic_partitions", "partitions of a topic");
  for (const TopicFigures& topic : snapshot.topics) page.add(topic.partitions, {{"topic", topic.name}});
}

void add_partitions(const MetricsSnapshot& snapshot, MetricFamilies& page) {
  const auto each = [&](const char* name, const char* help, const auto& value) {
    page.gauge(name, help);
    for (const PartitionFigures& partition : snapshot.partitions)
      page.add(value(partition),
               {{"topic", snapshot.topics[partition.topic].name}, {"partition", std::to_string(partition.index)}});
  };
  const auto one = [](const PartitionFigures&) { return 1; };
  const auto none = [](const PartitionFigures&) { return 0; };
  const auto node = [&](const PartitionFigures&) { return snapshot.node_id; };
  each("kafka_log_log_size", "bytes of a partition in the log", [](const auto& of) { return of.size_bytes; });
  each("kafka_log_log_logstartoffset", "its first offset", [](const auto& of) { return of.start; });
  each("kafka_log_log_logendoffset", "the offset that its next record gets", [](const auto& of) { return of.end; });
  each("kafka_cluster_partition_replicascount", "its replicas", one);
  each("kafka_cluster_partition_underminisr", "1: fewer replicas than min.insync.replicas",
       [](const auto& of) { return of.under_min_isr ? 1 : 0; });
  each("kafka_cluster_partition_atminisr", "1: as many replicas as min.insync.replicas",
       [](const auto& of) { return of.at_min_isr ? 1 : 0; });
  each("kafka_topic_partition_current_offset", "its high watermark", [](const auto& of) { return of.high_watermark; });
  each("kafka_topic_partition_oldest_offset", "its first offset", [](const auto& of) { return of.start; });
  each("kafka_topic_partition_leader", "the node that leads it", node);
  each("kafka_topic_partition_leader_is_preferred", "1: the leader is the preferred one", one);
  each("kafka_topic_partition_replicas", "its replicas", one);
  each("kafka_topic_partition_in_sync_replica", "its replicas in sync", one);
  each("kafka_topic_partition_under_replicated_partition", "1: a replica is behind", none);
}

void add_cluster(const MetricsSnapshot& snapshot, MetricFamilies& page) {
  const auto gauge = [&](const char* name, const char* help, std::size_t value) { page.gauge(name, help).add(value); };
  const auto counter = [&](const char* name, const char* help) { page.counter(name, help).add(0); };
  gauge("kafka_brokers", "brokers of the cluster", 1);
  gauge("kafka_server_replicamanager_partitioncount", "partitions here", snapshot.partition_count);
  gauge("kafka_server_replicamanager_leadercount", "of them, led here", snapshot.partition_count);
  gauge("kafka_server_replicamanager_underreplicatedpartitions", "partitions with a replica behind", 0);
  gauge("kafka_server_replicamanager_underminisrpartitioncount",
        "partitions with fewer replicas than min.insync.replicas", snapshot.under_min_isr);
  gauge("kafka_server_replicamanager_atminisrpartitioncount", "partitions with just min.insync.replicas",
        snapshot.at_min_isr);
  gauge("kafka_server_replicamanager_offlinereplicacount", "replicas that can't be used",
        snapshot.log.progress.failed ? snapshot.partition_count : 0);
  counter("kafka_server_replicamanager_isrshrinks_total", "always 0: there are no other replicas");
  counter("kafka_server_replicamanager_isrexpands_total", "always 0: there are no other replicas");
  counter("kafka_server_replicamanager_failedisrupdates_total", "always 0: there are no other replicas");
  gauge("kafka_server_replicafetchermanager_maxlag", "always 0: there are no other replicas", 0);
  gauge("kafka_controller_kafkacontroller_activecontrollercount", "1: this node is the controller", 1);
  gauge("kafka_controller_kafkacontroller_activebrokercount", "brokers that serve", 1);
  gauge("kafka_controller_kafkacontroller_fencedbrokercount", "brokers that may not serve", 0);
  gauge("kafka_controller_kafkacontroller_globaltopiccount", "topics", snapshot.topic_count);
  gauge("kafka_controller_kafkacontroller_globalpartitioncount", "partitions", snapshot.partition_count);
  gauge("kafka_controller_kafkacontroller_offlinepartitionscount", "partitions without a leader",
        snapshot.log.progress.failed ? snapshot.partition_count : 0);
  gauge("kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
        "partitions that another than the preferred replica leads", 0);
  counter("kafka_controller_controllerstats_uncleanleaderelections_total", "always 0: there are no other replicas");
}

}  // namespace braid::broker
