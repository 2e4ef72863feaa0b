#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "broker/observe/error_tally.h"
#include "broker/observe/latency_window.h"
#include "protocol/base/clock.h"

namespace braid::broker {

/// Where a request's time goes, in Kafka's words.
enum class RequestPhase : std::uint8_t {
  kRequestQueue,   // whole, and held back behind others of its connection
  kLocal,          // in its handler
  kRemote,         // waits: for the disk, for records
  kResponseQueue,  // answered, behind others of its connection
  kResponseSend,   // first in line, until the kernel has taken it whole
  kTotal,
};
inline constexpr std::size_t kRequestPhases = 6;

/// One request on its way, as far as it is counted.
struct RequestTrack {
  std::int16_t key = -1;  // of its API; negative: not counted
  std::int16_t version = 0;
  std::size_t request_bytes = 0;
  std::chrono::nanoseconds queued{};
  protocol::Instant started_at{};
  protocol::Instant handled_at{};  // the handler returned; unset: not yet
  protocol::Instant ready_at{};    // answered
  protocol::Instant first_at{};    // nothing before it is left to be sent
};

/// What is counted of one API, over all loops.
struct RequestSum {
  std::map<std::int16_t, std::uint64_t> requests;  // by version
  std::map<std::int16_t, std::uint64_t> errors;    // by code
  std::uint64_t request_bytes = 0;
  std::uint64_t response_bytes = 0;
  std::array<LatencySum, kRequestPhases> times;
};

/// What one loop counts of the requests that it has answered. An API has its memory from its first request on; from
/// then on counting allocates nothing. One thread.
class RequestCounters {
 public:
  RequestCounters();
  ~RequestCounters();

  /// The request is over: its reply has left, or there is none.
  void done(const RequestTrack& track, std::size_t response_bytes, const ErrorTally& errors, protocol::Instant now);
  void add_to(std::map<std::int16_t, RequestSum>& by_key, protocol::Instant now) const;

 private:
  struct OfApi;

  OfApi& of(std::int16_t key);

  static constexpr std::size_t kKeys = 128;  // of APIs: Kafka's go to 94
  std::array<std::unique_ptr<OfApi>, kKeys> by_key_;
};

}  // namespace braid::broker
