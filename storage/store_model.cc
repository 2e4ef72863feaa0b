#include "storage/store_model.h"

#include <algorithm>
#include <sstream>

#include "protocol/records/record_batch.h"

namespace braid::storage {

using protocol::ByteView;
using protocol::RecordBatch;

void StoreModel::create(const PartitionSpec& spec) {
  partitions[{spec.topic, spec.queue.value}] = Partition{.spec = spec,
                                                         .start = spec.start,
                                                         .end = spec.start,
                                                         .batches = {},
                                                         .epoch_begins = {},
                                                         .kept_as_of = spec.start,
                                                         .kept = {}};
}

void StoreModel::append(Partition& to, LeaderEpoch epoch, ByteView batch) {
  Record record{.base = to.end, .end = to.end, .bytes = {batch.begin(), batch.end()}};
  protocol::stamp(record.bytes, to.end.value, epoch.value);
  const RecordBatch stamped(record.bytes);
  record.end = Offset{stamped.next_offset()};
  record.timestamp_max = stamped.max_timestamp();
  to.epoch_begins.push_back({epoch, to.end});
  to.end = record.end;
  to.batches.push_back(std::move(record));
}

void StoreModel::truncate(Partition& of, Offset end) {
  of.end = end;
  while (!of.batches.empty() && of.batches.back().end > end) {
    of.end = std::clamp(of.batches.back().base, of.start, of.end);
    of.batches.pop_back();
  }
  std::erase_if(of.epoch_begins, [&](const EpochStart& begin) { return begin.start >= of.end; });
  if (of.kept_as_of > of.end) {
    of.kept_as_of = of.start;
    of.kept.clear();
  }
}

void StoreModel::raise_epochs() {
  for (auto& [key, partition] : partitions)
    if (const auto begun = epochs(partition); !begun.empty())
      start_epoch(partition, LeaderEpoch{begun.back().epoch.value + 1});
}

void StoreModel::trim(Partition& of, Offset start) {
  of.start = std::max(of.start, start);
  of.epoch_begins = epochs(of);
}

std::vector<const StoreModel::Record*> StoreModel::read(const Partition& from, const ReadRequest& request) {
  std::vector<const Record*> found;
  std::size_t bytes = 0;
  for (const Record& batch : from.batches) {
    if (batch.end <= std::max(request.from, from.start)) continue;
    if (batch.base >= request.end) break;
    if (!found.empty() && bytes + batch.bytes.size() > request.bytes_max) break;
    found.push_back(&batch);
    bytes += batch.bytes.size();
  }
  return found;
}

std::vector<EpochStart> StoreModel::epochs(const Partition& of) {
  std::vector<EpochStart> all;
  for (const EpochStart& begin : of.epoch_begins) {
    if (!all.empty() && all.back().epoch == begin.epoch) continue;
    if (!all.empty() && all.back().start == begin.start) all.pop_back();
    all.push_back(begin);
  }
  while (all.size() > 1 && all[1].start <= of.start) all.erase(all.begin());
  if (!all.empty() && all[0].start < of.start) all[0].start = of.start;
  return all;
}

namespace {

template <class A, class B>
void expect(std::ostringstream& out, const char* what, const A& found, const B& expected) {
  if (found != expected) out << what << " " << found << ", expected " << expected << "; ";
}

std::string different_batches(LogStore& store, PartitionId id, const StoreModel::Partition& expected) {
  const ReadRequest all{expected.start, expected.end, SIZE_MAX};
  const auto plan = store.plan_read(id, all);
  if (plan.has_error()) return "plan_read: " + plan.error().message();
  const auto found = store.read(*plan);
  if (found.has_error()) return "read: " + found.error().message();
  const auto batches = StoreModel::read(expected, all);
  if (found->batches.size() != batches.size())
    return std::to_string(found->batches.size()) + " batches, expected " + std::to_string(batches.size());
  for (std::size_t i = 0; i < batches.size(); ++i)
    if (!std::ranges::equal(found->batches[i], batches[i]->bytes))
      return "the batch at " + std::to_string(batches[i]->base.value) + " has other bytes";
  return "";
}

}  // namespace

std::string difference(LogStore& store, PartitionId id, const StoreModel::Partition& expected) {
  const PartitionView view = store.view(id);
  std::ostringstream out;
  expect(out, "name", view.name, expected.spec.name);
  expect(out, "indexing", view.indexing, expected.spec.indexing);
  expect(out, "start", view.start.value, expected.start.value);
  expect(out, "end", view.end.value, expected.end.value);
  expect(out, "kept as of", view.kept_as_of.value, expected.kept_as_of.value);
  if (!std::ranges::equal(view.kept_state, expected.kept)) out << "other kept state; ";
  if (!std::ranges::equal(view.epochs, StoreModel::epochs(expected))) {
    out << "epochs";
    for (const EpochStart& start : view.epochs) out << " " << start.epoch.value << "@" << start.start.value;
    out << ", expected";
    for (const EpochStart& start : StoreModel::epochs(expected))
      out << " " << start.epoch.value << "@" << start.start.value;
    out << "; ";
  }
  out << different_batches(store, id, expected);
  return out.str();
}

std::string difference(LogStore& store, const StoreModel& model) {
  if (store.partitions().size() != model.partitions.size())
    return std::to_string(store.partitions().size()) + " partitions, expected " +
           std::to_string(model.partitions.size());
  for (const auto& [key, expected] : model.partitions) {
    const auto id = store.find(key.first, QueueId{key.second});
    const std::string name = expected.spec.name + "-" + std::to_string(key.second) + ": ";
    if (!id) return name + "missing";
    const std::string found = difference(store, *id, expected);
    if (!found.empty()) return name + found;
  }
  return "";
}

}  // namespace braid::storage
