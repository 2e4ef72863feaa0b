#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "broker/limits.h"
#include "broker/observe/metrics_parts.h"
#include "protocol/messages/api.h"

namespace braid::broker {
namespace {

using Labels = MetricFamilies::Labels;

struct Quantile {
  const char* label;  // as jmx_exporter writes Kafka's percentiles
  double share;
};
constexpr std::array kQuantiles = {Quantile{"0.50", 0.50}, Quantile{"0.75", 0.75}, Quantile{"0.95", 0.95},
                                   Quantile{"0.98", 0.98}, Quantile{"0.99", 0.99}, Quantile{"0.999", 0.999}};

struct Phase {
  RequestPhase phase;
  const char* name;
  const char* help;
};
constexpr std::array kPhases = {
    Phase{RequestPhase::kTotal, "totaltimems", "from a request that is whole to the last byte of its reply"},
    Phase{RequestPhase::kRequestQueue, "requestqueuetimems", "held back behind others of its connection"},
    Phase{RequestPhase::kLocal, "localtimems", "in its handler"},
    Phase{RequestPhase::kRemote, "remotetimems", "waiting for the disk, for records, or for another loop"},
    Phase{RequestPhase::kResponseQueue, "responsequeuetimems", "answered, behind others of its connection"},
    Phase{RequestPhase::kResponseSend, "responsesendtimems", "first in line until the kernel has its reply"}};

/// What the rules say of one API: Kafka shows fetches by who asks as well, and all of ours are consumers'.
template <class Add>
void for_each_request(const MetricsSnapshot& snapshot, const Add& add) {
  for (const auto& [key, sum] : snapshot.requests) {
    const protocol::Api* const api = protocol::find_api(key);
    if (api == nullptr) continue;
    add(std::string(api->name), sum);
    if (api->key == protocol::ApiKey::kFetch) add("FetchConsumer", sum);
  }
}

void add_times(const MetricsSnapshot& snapshot, const Phase& phase, MetricFamilies& page) {
  const std::string name = std::string("kafka_network_requestmetrics_") + phase.name;
  const auto& sum_of = [&](const RequestSum& sum) -> const LatencySum& {
    return sum.times[static_cast<std::size_t>(phase.phase)];
  };
  page.gauge(name, std::string("milliseconds, of the last one to two minutes: ") + phase.help);
  for_each_request(snapshot, [&](const std::string& request, const RequestSum& sum) {
    for (const Quantile& quantile : kQuantiles)
      page.add(sum_of(sum).quantile_ms(quantile.share), {{"request", request}, {"quantile", quantile.label}});
  });
  page.counter(name + "_count", "requests that are over");
  for_each_request(snapshot, [&](const std::string& request, const RequestSum& sum) {
    page.add(sum_of(sum).count, {{"request", request}});
  });
}

}  // namespace

void add_requests(const MetricsSnapshot& snapshot, MetricFamilies& page) {
  page.counter("kafka_network_requestmetrics_requests_total", "requests that are over, by API and version");
  for_each_request(snapshot, [&](const std::string& request, const RequestSum& sum) {
    for (const auto& [version, count] : sum.requests)
      page.add(count, {{"request", request}, {"version", std::to_string(version)}});
  });
  page.counter("kafka_network_requestmetrics_errors_total", "error codes in replies, but for NONE");
  for_each_request(snapshot, [&](const std::string& request, const RequestSum& sum) {
    for (const auto& [code, count] : sum.errors)
      page.add(count, {{"request", request}, {"error", std::string(name(protocol::ErrorCode(code)))}});
  });
  page.counter("braid_request_bytes_total", "bytes of requests that are over");
  for_each_request(snapshot, [&](const std::string& request, const RequestSum& sum) {
    page.add(sum.request_bytes, {{"request", request}});
  });
  page.counter("braid_response_bytes_total", "bytes of replies");
  for_each_request(snapshot, [&](const std::string& request, const RequestSum& sum) {
    page.add(sum.response_bytes, {{"request", request}});
  });
  for (const Phase& phase : kPhases) add_times(snapshot, phase, page);
}

void add_connections(const MetricsSnapshot& snapshot, MetricFamilies& page) {
  page.gauge("kafka_server_socket_server_metrics_connection_count", "open connections, by listener and loop");
  for (std::size_t loop = 0; loop < snapshot.loops.size(); ++loop) {
    for (const auto& [listener, count] : snapshot.loops[loop].by_listener)
      page.add(count, {{"listener", listener}, {"networkProcessor", std::to_string(loop)}});
  }
  page.gauge("kafka_server_socket_server_metrics_connections_software",
             "open connections by what their clients say they are; unknown: nothing; others: too many to list");
  std::size_t listed = 0;
  for (std::size_t loop = 0; loop < snapshot.loops.size(); ++loop) {
    std::map<std::string, std::uint64_t> others;  // by listener
    const auto labels = [&](const std::string& listener, const std::string& software, const std::string& version) {
      return Labels{{"clientSoftwareName", software},
                    {"clientSoftwareVersion", version},
                    {"listener", listener},
                    {"networkProcessor", std::to_string(loop)}};
    };
    for (const auto& [client, count] : snapshot.loops[loop].by_software) {
      const auto& [listener, software, version] = client;
      if (listed++ < kClientSoftwareMax) {
        page.add(count, labels(listener, software, version));
      } else {
        others[listener] += count;
      }
    }
    for (const auto& [listener, count] : others) page.add(count, labels(listener, "others", "others"));
  }
  const auto sum = [&](std::uint64_t ConnectionFigures::* member) {
    std::uint64_t all = 0;
    for (const ConnectionFigures& loop : snapshot.loops) all += loop.*member;
    return all;
  };
  page.counter("braid_connections_accepted_total", "connections since the start")
      .add(sum(&ConnectionFigures::accepted));
  page.counter("braid_connections_misbehaved_total", "of them, closed because what they sent can't be answered")
      .add(sum(&ConnectionFigures::misbehaved));
  page.gauge("braid_receive_buffer_bytes", "memory of requests that have come in part, or are held back")
      .add(sum(&ConnectionFigures::receive_buffer_bytes));
  page.gauge("braid_reply_bytes_queued", "replies that their clients have not taken yet")
      .add(sum(&ConnectionFigures::reply_bytes_queued));
}

}  // namespace braid::broker
