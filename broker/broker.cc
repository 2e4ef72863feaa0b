#include "broker/broker.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "broker/api/api_table.h"
#include "broker/api/features.h"
#include "broker/api/node.h"
#include "broker/config/endpoint.h"
#include "broker/groups/group_coordinator.h"
#include "broker/limits.h"
#include "broker/net/admission.h"
#include "broker/net/connection_set.h"
#include "broker/net/http_server.h"
#include "broker/net/listener.h"
#include "broker/observe/build_info.h"
#include "broker/observe/log.h"
#include "broker/observe/metrics_snapshot.h"
#include "broker/observe/status_pages.h"
#include "broker/observe/store_figures.h"
#include "broker/partition/data_directory.h"
#include "broker/partition/fetch_session.h"
#include "broker/runtime/byte_budget.h"
#include "broker/runtime/lane.h"
#include "broker/runtime/loop.h"
#include "broker/runtime/random_uuid.h"
#include "broker/runtime/stop_signals.h"
#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;

BrokerFacts facts_from(const BrokerSettings& settings) {
  BrokerFacts facts;
  facts.node_id = settings.node_id;
  facts.features = served_features();
  facts.rack = settings.rack;
  facts.log_dir = settings.storage.log_dir;
  return facts;
}

FetchSessions::Limits session_limits(const Config& config) {
  constexpr std::int64_t kEvictableAfterMs = 120'000;  // as Kafka's
  const std::int64_t slots = config.integer("max.incremental.fetch.session.cache.slots");
  return {static_cast<std::size_t>(std::max<std::int64_t>(0, slots)), kEvictableAfterMs};
}

/// One loop for each processor but one, which is left to the disk and to everything else.
std::size_t loop_count(unsigned configured) {
  if (configured > 0) return configured;
  return std::max(1U, std::thread::hardware_concurrency() - 1);
}

}  // namespace

/// Members are in the order of construction: whatever runs on a loop is destroyed before it.
struct Broker::Wiring final : StatusSource {
  struct Store;

  Wiring(BrokerSettings given_settings, const Config& given_config, const protocol::Clock& given_clock);
  ~Wiring() override;

  std::string open_storage();
  void open_sets();
  std::string open_listeners();
  std::string open_http();
  void log_banner() const;
  int run();

  // On the first loop, which is asked for the pages of monitoring:
  std::vector<std::string_view> unready_reasons() const override;
  bool alive() const override;
  void gather(MetricsDetail detail, Done done) override;
  void gather_from_loop(std::size_t index, const std::shared_ptr<MetricsSnapshot>& snapshot, const Done& done);

  // On the first loop, which accepts and stops:
  ConnectionSet& set_of(const asio::io_context& loop);
  void connection_closed(const Peer& peer);
  void asked_to_stop(int times);
  void drain();
  void set_drained();
  void give_up_what_is_left();
  void loop_answered();
  void give_up(const char* why);
  void storage_failed();
  void finish();
  void close_storage();

  const BrokerSettings settings;
  const Config& config;
  const protocol::Clock& clock;
  BrokerFacts facts;  // constant once it serves
  // What is left in a loop at its end still holds shares of these.
  ByteBudget request_bytes;
  ByteBudget fetch_bytes;
  std::vector<std::unique_ptr<Loop>> loops;
  std::unique_ptr<DataDirectory> data;
  std::unique_ptr<Store> store;
  std::vector<std::unique_ptr<ConnectionSet>> sets;  // one a loop; each touched on its loop only
  Admission admission;
  std::vector<std::unique_ptr<Listener>> listeners;
  std::unique_ptr<StatusPages> pages;
  std::unique_ptr<HttpServer> http;
  std::size_t next_loop = 0;
  bool stopping = false;
  std::size_t sets_to_drain = 0;
  std::size_t loops_to_answer = 0;
  asio::steady_timer drain_timer;
  StopSignals signals;
  int exit_code = 0;
};

/// What stands on an open data directory; all of it is the first loop's lane's.
struct Broker::Wiring::Store {
  Store(Wiring& wiring, storage::LogStore& log_store)
      : lane(wiring.loops.front()->context()),
        shard(lane, log_store, wiring.clock, wiring.config.integer("producer.id.expiration.ms"),
              [&wiring] { wiring.storage_failed(); }),
        metadata(shard, wiring.config),
        topics(shard, metadata, wiring.config),
        producer_ids(shard, metadata),
        fetch_sessions(session_limits(wiring.config)),
        workers(protocol::kWorkerThreads),
        groups(shard, metadata, topics, workers, wiring.config),
        node{wiring.facts, wiring.config, wiring.clock,         shard,
             metadata,     topics,        producer_ids,         fetch_sessions,
             workers,      groups,        wiring.request_bytes, wiring.fetch_bytes} {}

  Lane lane;
  Shard shard;
  MetadataLog metadata;
  Topics topics;
  ProducerIds producer_ids;
  FetchSessions fetch_sessions;
  Workers workers;
  GroupCoordinator groups;
  Node node;
};

Broker::Wiring::Wiring(BrokerSettings given_settings, const Config& given_config, const protocol::Clock& given_clock)
    : settings(std::move(given_settings)),
      config(given_config),
      clock(given_clock),
      facts(facts_from(settings)),
      request_bytes(settings.request_bytes_max),
      fetch_bytes(settings.fetch_bytes_max),
      loops([this] {
        std::vector<std::unique_ptr<Loop>> made(loop_count(settings.loop_count));
        for (auto& loop : made) loop = std::make_unique<Loop>();
        return made;
      }()),
      admission(settings.limits),
      drain_timer(loops.front()->context()),
      signals(loops.front()->context(), [this](int times) { asked_to_stop(times); }) {}

Broker::Wiring::~Wiring() = default;

/// On the thread that will run the first loop: it acts as the lane until the broker serves.
std::string Broker::Wiring::open_storage() {
  auto opened = open_data_directory(settings.storage, clock);
  if (auto* problem = std::get_if<std::string>(&opened)) return std::move(*problem);
  data = std::get<std::unique_ptr<DataDirectory>>(std::move(opened));
  for (const std::string& finding : data->findings()) log(LogLevel::kWarning, "storage", finding);
  store = std::make_unique<Store>(*this, data->store());
  store->shard.start();

  const std::string new_id = settings.cluster_id.empty() ? protocol::to_text(random_uuid()) : settings.cluster_id;
  std::optional<std::string> problem;
  asio::co_spawn(loops.front()->context(), store->metadata.start(new_id),
                 [&](const std::exception_ptr&, std::string text) { problem = std::move(text); });
  while (!problem) loops.front()->context().run_one();
  facts.cluster_id = store->metadata.state().cluster_id();
  if (problem->empty() && !settings.cluster_id.empty() && settings.cluster_id != facts.cluster_id)
    return "cluster.id=" + settings.cluster_id + ", but the data directory is of the cluster " + facts.cluster_id;
  if (problem->empty()) store->groups.start();
  return *problem;
}

void Broker::Wiring::open_sets() {
  asio::io_context& first = loops.front()->context();
  for (const auto& loop : loops) {
    ConnectionSet::Events events{
        .closed = [this, &first](const Peer& peer) { asio::post(first, [this, peer] { connection_closed(peer); }); },
        .drained = [this, &first] { asio::post(first, [this] { set_drained(); }); }};
    sets.push_back(std::make_unique<ConnectionSet>(loop->context(), settings.connection, served_apis(), facts,
                                                   store->node, clock, std::move(events)));
  }
}

std::string Broker::Wiring::open_listeners() {
  const Listener::Target target{
      .next_loop = [this]() -> asio::io_context& { return loops[next_loop++ % loops.size()]->context(); },
      .hand_over =
          [this](asio::io_context& loop, asio::ip::tcp::socket socket, Peer peer) {
            asio::post(loop, [&set = set_of(loop), moved = std::move(socket), from = std::move(peer)]() mutable {
              set.add(std::move(moved), std::move(from));
            });
          }};
  for (const ListenerSettings& listener : settings.listeners) {
    auto bound = listen(loops.front()->context(), listener, settings.listen_backlog);
    if (auto* problem = std::get_if<std::string>(&bound)) return std::move(*problem);
    listeners.push_back(std::make_unique<Listener>(listener.name, std::get<asio::ip::tcp::acceptor>(std::move(bound)),
                                                   admission, clock, target));
    const std::uint16_t port =
        listener.advertised_port != 0 ? listener.advertised_port : listeners.back()->bound_port();
    facts.addresses.push_back({listener.name, listener.advertised_host, port});
  }
  return {};
}

std::string Broker::Wiring::open_http() {
  if (!settings.http) return {};
  auto bound = listen(loops.front()->context(), settings.http->listener, kHttpBacklog);
  if (auto* problem = std::get_if<std::string>(&bound)) {
    if (settings.http->asked_for) return std::move(*problem);
    // Several brokers on one machine are no fault of theirs, and none was told to serve there.
    log(LogLevel::kWarning, "http", *problem + "; set http.listener to serve metrics elsewhere");
    return {};
  }
  pages = std::make_unique<StatusPages>(*this, loops.front()->context(), store->workers);
  http = std::make_unique<HttpServer>(std::get<asio::ip::tcp::acceptor>(std::move(bound)),
                                      [this](const std::string& target) { return pages->answer(target); });
  return {};
}

std::vector<std::string_view> Broker::Wiring::unready_reasons() const {
  std::vector<std::string_view> reasons;
  if (store->shard.failed()) reasons.emplace_back("the storage has failed");
  if (stopping) reasons.emplace_back("the broker is stopping");
  return reasons;
}

bool Broker::Wiring::alive() const { return !store->shard.failed(); }

void Broker::Wiring::gather(MetricsDetail detail, Done done) {
  const auto snapshot = std::make_shared<MetricsSnapshot>();
  snapshot->detail = detail;
  add_store_figures(store->node, *snapshot);
  snapshot->layout = settings.storage_layout;
  snapshot->tail_bytes_max = settings.storage.tail_bytes;
  snapshot->running = !stopping;
  gather_from_loop(0, snapshot, done);
}

/// Each loop adds its own and hands on: nobody touches what is another's.
void Broker::Wiring::gather_from_loop(std::size_t index, const std::shared_ptr<MetricsSnapshot>& snapshot,
                                      const Done& done) {
  asio::post(loops[index]->context(), [this, index, snapshot, done] {
    sets[index]->add_to(*snapshot);
    if (index + 1 < loops.size()) return gather_from_loop(index + 1, snapshot, done);
    done(snapshot);
  });
}

ConnectionSet& Broker::Wiring::set_of(const asio::io_context& loop) {
  const auto found = std::ranges::find_if(loops, [&](const auto& each) { return &each->context() == &loop; });
  return *sets[static_cast<std::size_t>(found - loops.begin())];
}

void Broker::Wiring::log_banner() const {
  log(LogLevel::kInfo, "broker", "Braid " + std::string(version()),
      {{"commit", std::string(revision())},
       {"node.id", std::to_string(settings.node_id)},
       {"cluster.id", facts.cluster_id},
       {"storage.layout", settings.storage_layout},
       {"flush.mode", settings.flush_mode},
       {"loops", std::to_string(loops.size())}});
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    const AdvertisedAddress& address = facts.addresses[i];
    log(LogLevel::kInfo, "broker", "clients connect to " + host_and_port(address.host, address.port),
        {{"listener", address.listener}, {"bound", listeners[i]->bound_address()}});
  }
  if (http != nullptr)
    log(LogLevel::kInfo, "http", "monitoring at http://" + http->bound_address(),
        {{"paths", "/healthz /readyz /metrics /public_metrics"}});
}

int Broker::Wiring::run() {
  log_banner();
  for (const auto& listener : listeners) listener->start();
  if (http != nullptr) http->start();
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < loops.size(); ++i) threads.emplace_back([&loop = *loops[i]] { loop.run(); });
  // Tools that start a broker wait for these words of Kafka's.
  log(LogLevel::kInfo, "broker",
      "[BrokerLifecycleManager id=" + std::to_string(settings.node_id) + "] Transitioning from RECOVERY to RUNNING");
  loops.front()->run();
  threads.clear();
  request_bytes.end_waiting();
  fetch_bytes.end_waiting();
  close_storage();
  log(LogLevel::kInfo, "broker", "stopped", {{"exit_code", std::to_string(exit_code)}});
  return exit_code;
}

void Broker::Wiring::connection_closed(const Peer& peer) {
  admission.release(peer.address);
  for (const auto& listener : listeners) listener->resume();
}

void Broker::Wiring::asked_to_stop(int times) {
  if (times == 1) {
    drain();
  } else {
    give_up("asked to stop again: gives up what is under way");
  }
}

void Broker::Wiring::drain() {
  stopping = true;
  store->fetch_sessions.end_waiting();
  store->groups.end_waiting();
  for (const auto& listener : listeners) listener->close();
  sets_to_drain = sets.size();
  for (std::size_t i = 0; i < sets.size(); ++i) asio::post(loops[i]->context(), [&set = *sets[i]] { set.drain(); });
  drain_timer.expires_after(settings.drain_max);
  drain_timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) give_up_what_is_left();
  });
}

/// Connections without a reply under way close within one turn of their loop, however early the timer was. The first
/// post comes behind the turn that drains, the second behind the endings that this turn has queued, and the answer
/// behind the news of them.
void Broker::Wiring::give_up_what_is_left() {
  asio::io_context& first = loops.front()->context();
  loops_to_answer = loops.size();
  for (const auto& each : loops) {
    asio::io_context& loop = each->context();
    const auto answer = [this, &first] { asio::post(first, [this] { loop_answered(); }); };
    asio::post(loop, [&loop, answer] { asio::post(loop, answer); });
  }
}

void Broker::Wiring::loop_answered() {
  --loops_to_answer;
  if (loops_to_answer == 0 && sets_to_drain > 0)
    give_up("replies did not leave within stop.drain.max.ms: gives them up");
}

void Broker::Wiring::set_drained() {
  if (sets_to_drain == 0) return;
  --sets_to_drain;
  if (sets_to_drain == 0) finish();
}

void Broker::Wiring::give_up(const char* why) {
  log(LogLevel::kWarning, "broker", why);
  exit_code = 1;
  finish();
}

/// What waited has its answer already; it leaves, and then the process ends.
void Broker::Wiring::storage_failed() {
  exit_code = 1;
  asio::post(loops.front()->context(), [this] {
    for (const auto& listener : listeners) listener->close();
    drain_timer.expires_after(std::chrono::milliseconds(protocol::kFailureDrainMs));
    drain_timer.async_wait([this](const boost::system::error_code& error) {
      if (!error) finish();
    });
  });
}

void Broker::Wiring::close_storage() {
  store->workers.stop();
  store->shard.stop();
  if (store->shard.failed()) return;
  if (const std::string problem = data->close(); !problem.empty()) {
    log(LogLevel::kError, "storage", "the data directory could not be closed: " + problem);
    exit_code = 1;
  }
}

void Broker::Wiring::finish() {
  drain_timer.cancel();
  for (const auto& loop : loops) loop->stop();
}

Broker::Broker(BrokerSettings settings, const Config& config, const protocol::Clock& clock)
    : wiring_(std::make_unique<Wiring>(std::move(settings), config, clock)) {}
Broker::~Broker() = default;

std::string Broker::open() {
  if (std::string problem = wiring_->open_storage(); !problem.empty()) return problem;
  wiring_->open_sets();
  if (std::string problem = wiring_->open_listeners(); !problem.empty()) return problem;
  return wiring_->open_http();
}

int Broker::run() { return wiring_->run(); }

}  // namespace braid::broker
