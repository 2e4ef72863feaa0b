#pragma once

#include <cstddef>
#include <cstdint>

/// Bounds of the broker's own edges, each with its reason. Those that several layers share are in
/// protocol/base/limits.h.
namespace braid::broker {

// -- broker/runtime

/// Memory that a thread keeps for what comes and goes with each request: the answers of 1,000 requests in flight. A
/// larger block than the second is rare enough for the heap.
inline constexpr std::size_t kRecycledBytesMax = 1024 * 1024;
inline constexpr std::size_t kRecycledBlockBytesMax = 16 * 1024;

/// Replies that a thread keeps to be filled again, and the most that one of them may hold on to.
inline constexpr std::size_t kRecycledRepliesMax = 64;
inline constexpr std::size_t kRecycledReplyBytesMax = 16 * 1024;

// -- broker/net

/// While memory for requests is short, a request that has its memory must come at this rate on average once it is so
/// old, or its connection is closed: others wait for that memory. Answers to fetches must leave as fast. A line of half
/// a Mbit/s is fast enough.
inline constexpr std::int64_t kShortMemoryGraceMs = 10'000;
inline constexpr std::int64_t kShortMemoryBytesPerSecond = 64 * 1024;

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

// -- broker/api

/// A compressed batch above this is unpacked and checked by a worker: it would hold up a loop for a millisecond and
/// more. Below it the way there and back costs as much as the work.
inline constexpr std::size_t kCompressedOnLoopBytesMax = 64 * 1024;

/// What one fetch takes of the memory for fetches at most is half of what is left, but this much in any case; and what
/// one that finds nothing left waits for.
inline constexpr std::size_t kFetchShareBytesMin = 1024 * 1024;
inline constexpr std::size_t kFetchWaitBytes = 64 * 1024;

/// Fetches in line for that memory, those that were answered meanwhile too; more wait for their time to be over.
inline constexpr std::size_t kFetchesInLineMax = 10'000;

// -- broker/observe

/// Pages of metrics that are made or sent at the same time; one for 10,000 partitions is some 15 MiB. Others are told
/// to come back.
inline constexpr std::size_t kMetricsPagesMax = 4;

/// Pairs of client software and version that have a line of their own on the metrics page: clients choose them. The
/// others are summed up.
inline constexpr std::size_t kClientSoftwareMax = 100;

}  // namespace braid::broker
