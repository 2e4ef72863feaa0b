#include "broker/api/partition_reads.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <limits>
#include <memory>
#include <utility>

#include "protocol/base/limits.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
using protocol::Result;
using storage::Offset;
using storage::StorageErrc;

/// The greatest time for which the store does not rule out that a record has it or a later one; negative: it does so
/// for all. Never waits for the disk.
std::int64_t greatest_possible_time(Node& node, const Partition& partition) {
  const storage::PartitionId stored = partition.place().stored;
  const Offset end = node.shard.view(partition).end;
  std::int64_t low = -1;
  std::int64_t high = std::numeric_limits<std::int64_t>::max() - 1;  // no record has it; high - low fits
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (node.shard.store().find_time(stored, middle) < end ? low : high) = middle;
  }
  return low;
}

}  // namespace

asio::awaitable<Result<storage::ReadBatches>> read_batches(Node& node, storage::ReadPlan plan) {
  if (plan.from_memory) co_return node.shard.store().read(plan);
  struct Read {
    std::optional<Result<storage::ReadBatches>> result;
    asio::steady_timer done;  // never expires
  };
  auto& loop = node.shard.lane().loop();
  const auto read = std::make_shared<Read>(Read{{}, asio::steady_timer(loop, asio::steady_timer::time_point::max())});
  node.workers.run([read, &loop, &store = node.shard.store(), moved = std::move(plan)] {
    read->result = store.read(moved);
    asio::post(loop, [read] { read->done.cancel(); });
  });
  static_cast<void>(co_await read->done.async_wait(asio::as_tuple(asio::use_awaitable)));
  co_return *std::move(read->result);
}

asio::awaitable<Result<std::optional<TimedRecord>>> find_time(Node& node, protocol::Uuid topic, std::int32_t partition,
                                                              std::int64_t timestamp) {
  protocol::Decompressor decompressor;
  Offset next{0};
  bool begun = false;
  while (true) {
    Partition* const of = node.shard.find(topic, partition);
    if (of == nullptr) co_return make_error_code(StorageErrc::unknown_partition);
    const Offset start = node.shard.view(*of).start;
    const Offset end = of->high_watermark();
    if (!begun) next = node.shard.store().find_time(of->place().stored, timestamp);
    begun = true;
    next = std::max(next, start);
    if (next >= end) co_return std::optional<TimedRecord>{};
    auto plan = node.shard.store().plan_read(of->place().stored, {next, end, protocol::kTimeLookupReadBytes});
    if (plan.has_error()) co_return plan.error();
    const auto read = co_await read_batches(node, *std::move(plan));
    if (read.has_error() && read.error() == make_error_code(StorageErrc::stale_read)) continue;
    if (read.has_error()) co_return read.error();
    if (read->batches.empty()) co_return std::optional<TimedRecord>{};
    const auto found = find_time(*read, timestamp, start, end, decompressor, next);
    if (found.has_error()) co_return found.error();
    if (*found) co_return *found;
  }
}

// Nearly always the first look finds it: the store's greatest time is that of a batch. If none of its records can be
// seen (trimmed away, or not below the high watermark yet), what is left is halved with each look.
asio::awaitable<Result<std::optional<TimedRecord>>> find_greatest_time(Node& node, protocol::Uuid topic,
                                                                       std::int32_t partition) {
  const Partition* const of = node.shard.find(topic, partition);
  if (of == nullptr) co_return make_error_code(StorageErrc::unknown_partition);
  std::optional<TimedRecord> greatest;
  std::int64_t asked = greatest_possible_time(node, *of);
  std::int64_t low = 0;  // greater than all that was found
  std::int64_t high = asked + 1;
  while (low < high) {
    const auto found = co_await find_time(node, topic, partition, asked);
    if (found.has_error()) co_return found.error();
    if (*found) {
      greatest = *found;
      low = (*found)->timestamp + 1;
    } else {
      high = asked;
    }
    asked = low + (high - low) / 2;
  }
  co_return greatest;
}

}  // namespace braid::broker
