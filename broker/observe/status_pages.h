#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/net/http_server.h"
#include "broker/observe/metrics_snapshot.h"
#include "broker/runtime/workers.h"

namespace braid::broker {

/// What the pages are made of; its answers may come from any thread.
class StatusSource {
 public:
  using Done = std::function<void(std::shared_ptr<const MetricsSnapshot>)>;

  virtual ~StatusSource() = default;
  /// Why the broker should get no requests now; empty: it is ready.
  virtual std::vector<std::string_view> unready_reasons() const = 0;
  /// Whether it makes sense to let it run on.
  virtual bool alive() const = 0;
  /// Calls `done` once, unless the broker ends before.
  virtual void gather(MetricsDetail detail, Done done) = 0;
};

/// /healthz, /readyz, /metrics and /public_metrics. On the first loop; the text is made by a worker.
class StatusPages {
 public:
  /// All outlive it.
  StatusPages(StatusSource& source, boost::asio::io_context& loop, Workers& workers)
      : source_(source), loop_(loop), workers_(workers) {}

  /// `target` lives until the answer is there.
  boost::asio::awaitable<HttpReply> answer(const std::string& target);

 private:
  HttpReply health() const;
  HttpReply readiness() const;
  boost::asio::awaitable<HttpReply> metrics(MetricsDetail detail);

  StatusSource& source_;
  boost::asio::io_context& loop_;
  Workers& workers_;
  const std::shared_ptr<std::size_t> pages_ = std::make_shared<std::size_t>(0);  // being made or sent
};

}  // namespace braid::broker
