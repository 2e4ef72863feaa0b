#include "broker/observe/status_pages.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "broker/limits.h"
#include "broker/observe/metrics_page.h"
#include "broker/runtime/process_figures.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;

constexpr unsigned kUnavailable = 503;
constexpr unsigned kNotFound = 404;
constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";

/// A page on its way through the threads.
struct Page {
  explicit Page(asio::io_context& loop) : made(loop, asio::steady_timer::time_point::max()) {}
  std::string text;
  asio::steady_timer made;  // never expires; cancelled when the text is there
};

bool asks_for_partitions(std::string_view query) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (query.substr(0, end) == "detail=partition") return true;
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return false;
}

}  // namespace

asio::awaitable<HttpReply> StatusPages::answer(const std::string& target) {
  const std::string_view path = std::string_view(target).substr(0, target.find('?'));
  if (path == "/healthz") co_return health();
  if (path == "/readyz") co_return readiness();
  const bool is_public = path == "/public_metrics";
  if (!is_public && path != "/metrics")
    co_return HttpReply{.status = kNotFound, .body = "served here: /healthz /readyz /metrics /public_metrics\n"};
  const std::string_view query = std::string_view(target).substr(std::min(path.size() + 1, target.size()));
  MetricsDetail detail = is_public ? MetricsDetail::kBroker : MetricsDetail::kTopics;
  if (!is_public && asks_for_partitions(query)) detail = MetricsDetail::kPartitions;
  auto answering = metrics(detail);
  HttpReply reply = co_await std::move(answering);
  co_return reply;
}

HttpReply StatusPages::health() const {
  if (source_.alive()) return {.body = "ok\n"};
  return {.status = kUnavailable, .body = "the storage has failed\n"};
}

/// The reasons are constants of ours: nothing in them needs escaping.
HttpReply StatusPages::readiness() const {
  const auto reasons = source_.unready_reasons();
  std::string list;
  for (const std::string_view reason : reasons) list += (list.empty() ? "\"" : ",\"") + std::string(reason) + "\"";
  return {.status = reasons.empty() ? 200U : kUnavailable,
          .content_type = "application/json",
          .body = std::string("{\"ready\":") + (reasons.empty() ? "true" : "false") + ",\"reasons\":[" + list + "]}\n"};
}

asio::awaitable<HttpReply> StatusPages::metrics(MetricsDetail detail) {
  if (*pages_ >= kMetricsPagesMax)
    co_return HttpReply{.status = kUnavailable, .body = "as many pages as may be are on their way; come back\n"};
  ++*pages_;
  std::shared_ptr<const void> ticket(this, [pages = pages_](const void*) { --*pages; });
  const auto page = std::make_shared<Page>(loop_);
  source_.gather(detail, [page, &loop = loop_, &workers = workers_](std::shared_ptr<const MetricsSnapshot> gathered) {
    workers.run([page, &loop, snapshot = std::move(gathered)] {
      page->text = metrics_page(*snapshot, process_figures());
      asio::post(loop, [page] { page->made.cancel(); });
    });
  });
  static_cast<void>(co_await page->made.async_wait(asio::as_tuple(asio::use_awaitable)));
  co_return HttpReply{.content_type = kMetricsText, .body = std::move(page->text), .ticket = std::move(ticket)};
}

}  // namespace braid::broker
