#include "storage/random_operations.h"

#include <algorithm>
#include <iterator>

#include "protocol/base/check.h"
#include "protocol/records/record_batch.h"
#include "storage/errors.h"
#include "storage/test_batch.h"

namespace braid::storage {
namespace {

PartitionId id_of(LogStore& store, const StoreModel::Partition& partition) {
  const auto id = store.find(partition.spec.topic, partition.spec.queue);
  protocol::check(id.has_value(), "the store has what the model has");
  return *id;
}

}  // namespace

StoreModel::Partition* RandomOperations::any_partition() {
  if (model_.partitions.empty()) return nullptr;
  return &std::next(model_.partitions.begin(), static_cast<std::ptrdiff_t>(random_.below(model_.partitions.size())))
              ->second;
}

std::string RandomOperations::step(LogStore& store) {
  clock_ += static_cast<std::int64_t>(random_.below(3));
  const std::uint64_t dice = random_.below(100);
  if (dice < 6) return create(store);
  if (dice < 8) return remove(store);
  if (dice < 80) return append(store);
  if (dice < 86) return trim(store);
  if (dice < 90) return truncate(store);
  if (dice < 94) return start_epoch(store);
  return keep(store);
}

std::string RandomOperations::create(LogStore& store) {
  const auto topic = static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(limits_.topics)));
  const QueueId queue{static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(limits_.queues)))};
  const std::string name = "topic" + std::to_string(topic);
  TopicId id;
  for (const auto& [key, partition] : model_.partitions)
    if (partition.spec.name == name) id = key.first;
  if (id.unset()) id = protocol::uuid_from_halves(next_topic_++, 7);
  const Offset start{random_.chance(1, 4) ? static_cast<std::int64_t>(random_.below(700'000)) : 0};
  const PartitionSpec spec{.topic = id, .name = name, .queue = queue, .start = start, .indexing = 1};
  const bool taken = model_.partitions.contains({id, queue.value});
  if (store.create(spec).has_value() == taken) return "create";
  if (!taken) model_.create(spec);
  return "";
}

std::string RandomOperations::remove(LogStore& store) {
  StoreModel::Partition* const partition = any_partition();
  if (partition == nullptr) return "";
  const PartitionId id = id_of(store, *partition);
  if (store.remove(id).has_error()) return "remove";
  if (store.find(partition->spec.topic, partition->spec.queue)) return "found after remove";
  if (store.trim(id, Offset{0}).has_value()) return "trim after remove";
  model_.partitions.erase({partition->spec.topic, partition->spec.queue.value});
  return "";
}

std::string RandomOperations::append(LogStore& store) {
  StoreModel::Partition* const partition = any_partition();
  if (partition == nullptr) return "";
  const auto epochs = StoreModel::epochs(*partition);
  const LeaderEpoch epoch = epochs.empty() ? LeaderEpoch{0} : epochs.back().epoch;
  const Bytes batch = make_batch({.count = 1 + static_cast<std::int32_t>(random_.below(5)),
                                  .body_bytes = random_.below(limits_.body_bytes_max),
                                  .timestamp_max = clock_ - static_cast<std::int64_t>(random_.below(20)),
                                  .seed = random_.next()});
  const auto tags = tags_of_test_batch(batch);
  auto room = store.reserve(store.entry_bytes(batch.size()), Purpose::kProduce);
  // Maintenance comes too seldom here: what can't be had now is left.
  if (room.has_error() && room.error() == make_error_code(StorageErrc::not_yet)) return "";
  if (room.has_error()) return "reserve: " + room.error().message();
  const Offset base = partition->end;
  const Appended appended = store.append(
      id_of(store, *partition),
      {.bytes = batch, .epoch = epoch, .tag_hashes = tags, .durability = Durability::kWritten, .now = {clock_}}, *room);
  model_.append(*partition, epoch, batch);
  return appended.base == base && appended.end == partition->end ? "" : "append gave other offsets";
}

std::string RandomOperations::trim(LogStore& store) {
  StoreModel::Partition* const partition = any_partition();
  if (partition == nullptr) return "";
  const std::int64_t length = partition->end.value - partition->start.value;
  const Offset start{partition->start.value +
                     static_cast<std::int64_t>(
                         random_.below(static_cast<std::uint64_t>(length) / (random_.chance(1, 3) ? 1 : 4) + 2))};
  const bool possible = start <= partition->end;
  if (store.trim(id_of(store, *partition), start).has_value() != possible) return "trim";
  if (possible) StoreModel::trim(*partition, start);
  return "";
}

std::string RandomOperations::truncate(LogStore& store) {
  StoreModel::Partition* const partition = any_partition();
  if (partition == nullptr) return "";
  const std::int64_t length = std::min<std::int64_t>(partition->end.value - partition->start.value, 20);
  const Offset end{partition->end.value -
                   static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(length) + 1))};
  if (store.truncate(id_of(store, *partition), end).has_error()) return "truncate";
  StoreModel::truncate(*partition, end);
  return "";
}

std::string RandomOperations::start_epoch(LogStore& store) {
  StoreModel::Partition* const partition = any_partition();
  if (partition == nullptr) return "";
  const auto epochs = StoreModel::epochs(*partition);
  const LeaderEpoch epoch{(epochs.empty() ? 0 : epochs.back().epoch.value) + 1};
  if (store.start_epoch(id_of(store, *partition), epoch).has_error()) return "start_epoch";
  StoreModel::start_epoch(*partition, epoch);
  return "";
}

std::string RandomOperations::keep(LogStore& store) {
  StoreModel::Partition* const partition = any_partition();
  if (partition == nullptr) return "";
  Bytes state(random_.below(30), std::byte{static_cast<unsigned char>(random_.below(256))});
  store.keep_state(id_of(store, *partition), partition->end, state);
  partition->kept_as_of = partition->end;
  partition->kept = std::move(state);
  return "";
}

std::string RandomOperations::read_somewhere(LogStore& store) {
  StoreModel::Partition* const partition = any_partition();
  if (partition == nullptr) return "";
  const PartitionId id = id_of(store, *partition);
  const std::int64_t length = partition->end.value - partition->start.value;
  ReadRequest request{.from = {}, .end = partition->end, .bytes_max = random_.below(2000)};
  request.from = Offset{partition->start.value - 1 +
                        static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(length) + 3))};
  const auto plan = store.plan_read(id, request);
  const bool possible = request.from >= partition->start && request.from <= partition->end;
  if (plan.has_value() != possible) return "plan_read of " + std::to_string(request.from.value);
  if (!possible) return "";
  const auto found = store.read(*plan);
  if (found.has_error()) return "read: " + found.error().message();
  const auto expected = StoreModel::read(*partition, request);
  if (found->batches.empty() != expected.empty() || found->batches.size() > expected.size())
    return "read of other batches";
  for (std::size_t i = 0; i < found->batches.size(); ++i)
    if (!std::ranges::equal(found->batches[i], expected[i]->bytes))
      return "read from " + std::to_string(request.from.value) + ": batch " + std::to_string(i) + " at " +
             std::to_string(protocol::RecordBatch(found->batches[i]).base_offset()) + ", expected " +
             std::to_string(expected[i]->base.value);
  return look_up_time(store, id, *partition, clock_ - static_cast<std::int64_t>(random_.below(300)));
}

std::string RandomOperations::look_up_time(LogStore& store, PartitionId id, const StoreModel::Partition& in,
                                           std::int64_t time) {
  const Offset found = store.find_time(id, time);
  for (const StoreModel::Record& batch : in.batches) {
    if (batch.end <= in.start || batch.timestamp_max < time) continue;
    return found <= std::max(batch.base, in.start) && found >= in.start ? "" : "find_time went past the record";
  }
  return found >= in.start && found <= in.end ? "" : "find_time left the partition";
}

}  // namespace braid::storage
