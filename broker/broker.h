#pragma once

#include <memory>
#include <string>
#include <vector>

#include "broker/config/settings.h"
#include "protocol/base/clock.h"

namespace braid::broker {

/// The broker as a whole: the only place where loops, listeners and connections are wired together.
class Broker {
 public:
  /// `config` and `clock` outlive it.
  Broker(BrokerSettings settings, const Config& config, const protocol::Clock& clock);
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  /// Opens the data directory and binds all listeners. Empty when that worked; otherwise why it can't start, for the
  /// operator.
  [[nodiscard]] std::string open();

  /// After open(). Serves on this thread and others until a signal asks for a stop. Returns the exit code: 0 after a
  /// clean stop, 1 when replies had to be given up, because a second signal came or stop.drain.max.ms had passed, or
  /// when the disk failed.
  int run();

 private:
  struct Wiring;
  const std::unique_ptr<Wiring> wiring_;
};

}  // namespace braid::broker
