#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>

#include "broker/api/node.h"
#include "broker/partition/time_lookup.h"
#include "protocol/base/result.h"

namespace braid::broker {

/// Reads on the lane's behalf: planned here, done by a worker where it would wait for the disk.
boost::asio::awaitable<protocol::Result<storage::ReadBatches>> read_batches(Node& node, storage::ReadPlan plan);

/// The first record that readers see with at least this timestamp; none: there is none. Lane.
boost::asio::awaitable<protocol::Result<std::optional<TimedRecord>>> find_time(Node& node, protocol::Uuid topic,
                                                                               std::int32_t partition,
                                                                               std::int64_t timestamp);

/// The first of the records that have the greatest timestamp; none: there is no record with a timestamp. Lane.
boost::asio::awaitable<protocol::Result<std::optional<TimedRecord>>> find_greatest_time(Node& node,
                                                                                        protocol::Uuid topic,
                                                                                        std::int32_t partition);

}  // namespace braid::broker
