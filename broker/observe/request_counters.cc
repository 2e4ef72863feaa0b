#include "broker/observe/request_counters.h"

#include "protocol/base/check.h"

namespace braid::broker {
namespace {

using protocol::Instant;

constexpr std::size_t kVersions = 32;     // Fetch, the API with the most, has 19
constexpr std::size_t kErrorCodes = 256;  // from -1 on; Kafka's go to 133

std::size_t phase_index(RequestPhase phase) { return static_cast<std::size_t>(phase); }

}  // namespace

struct RequestCounters::OfApi {
  std::array<std::uint64_t, kVersions> requests{};
  std::array<std::uint64_t, kErrorCodes> errors{};
  std::uint64_t request_bytes = 0;
  std::uint64_t response_bytes = 0;
  std::array<LatencyWindow, kRequestPhases> times;
};

RequestCounters::RequestCounters() = default;
RequestCounters::~RequestCounters() = default;

RequestCounters::OfApi& RequestCounters::of(std::int16_t key) {
  protocol::check(static_cast<std::size_t>(key) < kKeys, "the keys of served APIs are small");
  std::unique_ptr<OfApi>& place = by_key_[static_cast<std::size_t>(key)];
  if (place == nullptr) place = std::make_unique<OfApi>();
  return *place;
}

void RequestCounters::done(const RequestTrack& track, std::size_t response_bytes, const ErrorTally& errors,
                           Instant now) {
  if (track.key < 0) return;
  OfApi& api = of(track.key);
  const bool known = track.version >= 0 && static_cast<std::size_t>(track.version) < kVersions;
  ++api.requests[known ? static_cast<std::size_t>(track.version) : 0];
  api.request_bytes += track.request_bytes;
  api.response_bytes += response_bytes;
  for (const ErrorTally::Kind& kind : errors.kinds()) {
    const std::size_t place = static_cast<std::size_t>(static_cast<std::int16_t>(kind.code) + 1);
    if (place < kErrorCodes) api.errors[place] += kind.count;
  }
  // An answer may be ready before its handler returns: then nothing of the time is waiting.
  const bool answered_inside = track.handled_at == Instant{} || track.ready_at <= track.handled_at;
  const Instant handled_at = answered_inside ? track.ready_at : track.handled_at;
  const auto record = [&](RequestPhase phase, std::chrono::nanoseconds took) {
    api.times[phase_index(phase)].record(took, now);
  };
  record(RequestPhase::kRequestQueue, track.queued);
  record(RequestPhase::kLocal, handled_at - track.started_at);
  record(RequestPhase::kRemote, track.ready_at - handled_at);
  record(RequestPhase::kResponseQueue, track.first_at - track.ready_at);
  record(RequestPhase::kResponseSend, now - track.first_at);
  record(RequestPhase::kTotal, track.queued + (now - track.started_at));
}

void RequestCounters::add_to(std::map<std::int16_t, RequestSum>& by_key, Instant now) const {
  for (std::size_t key = 0; key < kKeys; ++key) {
    if (by_key_[key] == nullptr) continue;
    const OfApi& api = *by_key_[key];
    RequestSum& sum = by_key[static_cast<std::int16_t>(key)];
    for (std::size_t version = 0; version < kVersions; ++version)
      if (api.requests[version] > 0) sum.requests[static_cast<std::int16_t>(version)] += api.requests[version];
    for (std::size_t place = 0; place < kErrorCodes; ++place) {
      const int code = static_cast<int>(place) - 1;
      if (api.errors[place] > 0) sum.errors[static_cast<std::int16_t>(code)] += api.errors[place];
    }
    sum.request_bytes += api.request_bytes;
    sum.response_bytes += api.response_bytes;
    for (std::size_t phase = 0; phase < kRequestPhases; ++phase) api.times[phase].add_to(sum.times[phase], now);
  }
}

}  // namespace braid::broker
