#include "broker/runtime/stop_signals.h"

#include <csignal>
#include <utility>

#include "broker/observe/log.h"

namespace braid::broker {

StopSignals::StopSignals(boost::asio::io_context& loop, std::function<void(int)> asked)
    : signals_(loop, SIGTERM, SIGINT, SIGHUP), asked_(std::move(asked)) {
  wait();
}

void StopSignals::wait() {
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    wait();
    handle(signal);
  });
}

void StopSignals::handle(int signal) {
  if (signal == SIGHUP) {
    log(LogLevel::kInfo, "broker", "SIGHUP changes nothing: there is nothing that could be loaded again");
    return;
  }
  log(LogLevel::kInfo, "broker", "asked to stop", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  asked_(++asked_count_);
}

}  // namespace braid::broker
