#pragma once

#include <cstddef>
#include <cstdint>

/// Bounds of the broker's own edges, each with its reason. Those that several layers share are in
/// protocol/base/limits.h.
namespace braid::broker {

// -- broker/net, the HTTP listener

/// Connections at a time: some Prometheus servers, dashboards and probes. More wait in the kernel's queue until one of
/// these is closed, which kHttpReadMs and kHttpWriteMs see to.
inline constexpr std::size_t kHttpConnectionsMax = 64;
inline constexpr int kHttpBacklog = 64;

/// Request line and headers: what web servers commonly take. No request here has a body.
inline constexpr std::size_t kHttpHeaderBytesMax = 8 * 1024;

/// How long a connection may be quiet, or take to send a request; a monitor that asks less often connects again.
inline constexpr std::int64_t kHttpReadMs = 15'000;

/// How long an answer may take to leave: 10 MiB on a line of 3 Mbit/s.
inline constexpr std::int64_t kHttpWriteMs = 30'000;

// -- broker/observe

/// Pages of metrics that are made or sent at the same time; one for 10,000 partitions is some 15 MiB. Others are told
/// to come back.
inline constexpr std::size_t kMetricsPagesMax = 4;

/// Pairs of client software and version that have a line of their own on the metrics page: clients choose them. The
/// others are summed up.
inline constexpr std::size_t kClientSoftwareMax = 100;

}  // namespace braid::broker
