#include "broker/partition/producer_keeper.h"

#include <algorithm>
#include <optional>
#include <string>

#include "broker/observe/log.h"
#include "protocol/records/record_batch.h"
#include "storage/errors.h"

namespace braid::broker {
namespace {

using protocol::Result;
using protocol::WallTime;
using storage::LogPosition;
using storage::Offset;

constexpr std::size_t kKeepIntervalBytes = std::size_t{32} << 20;  // a start reads about so much again: 0.1 s
constexpr std::size_t kKeptBytesPerTurn = std::size_t{256} << 10;  // below a millisecond of the lane
constexpr std::size_t kReplayReadBytes = std::size_t{1} << 20;

/// Takes note of the batches of one read; the offset behind them.
Offset replay(const storage::ReadBatches& read, ProducerTable& producers, WallTime now) {
  Offset next{};
  for (const protocol::ByteView bytes : read.batches) {
    const protocol::RecordBatch batch(bytes);
    next = Offset{batch.next_offset()};
    const std::optional<ProducerBatch> of = ProducerBatch::of(batch);
    if (of && !batch.control()) producers.stored(*of, Offset{batch.base_offset()}, LogPosition{0}, now);
  }
  return next;
}

Result<storage::ReadBatches> read_from(storage::LogStore& store, storage::PartitionId partition, Offset from,
                                       Offset end) {
  TRY(const storage::ReadPlan plan, store.plan_read(partition, {from, end, kReplayReadBytes}));
  return store.read(plan);
}

}  // namespace

// Behind damage the next good batch is looked for in growing steps: it may be large, and its size is not known.
void ProducerKeeper::restore(Partition& partition, WallTime now) {
  const storage::PartitionView view = store_.view(partition.place().stored);
  const Offset end = view.end;
  const Offset start = view.start;
  const bool usable = partition.producers().decode(view.kept_state);
  Offset next = usable ? std::max(view.kept_as_of, start) : start;
  if (next < end) changed_.push_back(partition);  // so that the next start need not do it again
  std::int64_t step = 1;
  std::optional<Offset> damaged;
  while (next < end) {
    const auto read = read_from(store_, partition.place().stored, next, end);
    if (read.has_value() && !read->batches.empty()) {
      next = replay(*read, partition.producers(), now);
      step = 1;
    } else {
      if (!damaged) damaged = next;
      next = Offset{next.value + step};
      step *= 2;
    }
  }
  expire(partition, now);
  if (usable && !damaged) return;
  log(LogLevel::kWarning, "partition", "what is known of the producers may lack something",
      {{"topic", partition.place().topic_name},
       {"partition", std::to_string(partition.place().index)},
       {"first_damaged_offset", damaged ? std::to_string(damaged->value) : std::string("none")}});
}

void ProducerKeeper::appended(Partition& partition, std::size_t bytes) {
  if (!partition.UnkeptHook::is_linked()) changed_.push_back(partition);
  appended_bytes_ += bytes;
  if (appended_bytes_ < kKeepIntervalBytes) return;
  appended_bytes_ = 0;
  due_.splice(due_.end(), changed_);
}

void ProducerKeeper::expire(Partition& partition, WallTime now) const {
  partition.producers().expire({now.milliseconds - expiration_ms_});
}

void ProducerKeeper::turn(WallTime now) {
  std::size_t bytes = 0;
  while (!due_.empty() && bytes < kKeptBytesPerTurn) bytes += 1 + keep(due_.front(), now);
}

void ProducerKeeper::keep_all(WallTime now) {
  due_.splice(due_.end(), changed_);
  while (!due_.empty()) keep(due_.front(), now);
}

std::size_t ProducerKeeper::keep(Partition& partition, WallTime now) {
  partition.UnkeptHook::unlink();
  expire(partition, now);
  const protocol::Bytes state = partition.producers().size() == 0 ? protocol::Bytes{} : partition.producers().encode();
  store_.keep_state(partition.place().stored, store_.view(partition.place().stored).end, state);
  return state.size();
}

}  // namespace braid::broker
