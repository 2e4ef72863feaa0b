#include "storage/store_image.h"

#include <algorithm>
#include <chrono>

#include "protocol/base/check.h"
#include "protocol/records/record_batch.h"
#include "storage/errors.h"
#include "storage/small_store.h"
#include "storage/test_batch.h"

namespace braid::storage {

using protocol::Bytes;
using protocol::check;
using protocol::Instant;

namespace {

/// A store being filled, with its model.
class Life {
 public:
  Life(MemoryFileSystem& files, StoreModel& model) : files_(files), model_(model) { open(); }

  void open() {
    store_.reset();
    store_ = *CommitLogStore::open(files_, small_store_options(), {});
  }
  CommitLogStore& store() { return *store_; }

  StoreModel::Key create(const std::string& name, std::uint64_t topic, std::int32_t queue, std::int64_t start = 0) {
    const PartitionSpec spec{.topic = protocol::uuid_from_halves(topic, 3),
                             .name = name,
                             .queue = QueueId{queue},
                             .start = Offset{start},
                             .indexing = 1};
    check(store_->create(spec).has_value(), "creating works");
    model_.create(spec);
    return {spec.topic, queue};
  }
  PartitionId id(const StoreModel::Key& key) { return *store_->find(key.first, QueueId{key.second}); }

  void append(const StoreModel::Key& key, std::int32_t count, std::size_t body_bytes) {
    const Bytes batch =
        make_batch({.count = count, .body_bytes = body_bytes, .timestamp_max = ++clock_, .seed = clock_ms()});
    auto room = store_->reserve(store_->entry_bytes(batch.size()), Purpose::kProduce);
    for (int i = 0; i < 10 && room.has_error(); ++i) {
      settle();
      room = store_->reserve(store_->entry_bytes(batch.size()), Purpose::kProduce);
    }
    const auto tags = tags_of_test_batch(batch);
    const auto epochs = store_->view(id(key)).epochs;
    const LeaderEpoch epoch = epochs.empty() ? LeaderEpoch{0} : epochs.back().epoch;
    model_.append(model_.partitions.at(key), epoch, batch);
    store_->append(id(key), {.bytes = batch, .epoch = epoch, .tag_hashes = tags, .durability = {}, .now = {clock_}},
                   *room);
  }
  void trim(const StoreModel::Key& key, std::int64_t start) {
    check(store_->trim(id(key), Offset{start}).has_value(), "trimming works");
    StoreModel::trim(model_.partitions.at(key), Offset{start});
  }
  void truncate(const StoreModel::Key& key, std::int64_t fewer) {
    const Offset end{store_->view(id(key)).end.value - fewer};
    check(store_->truncate(id(key), end).has_value(), "cutting works");
    StoreModel::truncate(model_.partitions.at(key), end);
  }
  void start_epoch(const StoreModel::Key& key, std::int32_t epoch) {
    check(store_->start_epoch(id(key), LeaderEpoch{epoch}).has_value(), "an epoch begins");
    StoreModel::start_epoch(model_.partitions.at(key), LeaderEpoch{epoch});
  }
  void remove(const StoreModel::Key& key) {
    check(store_->remove(id(key)).has_value(), "removing works");
    model_.partitions.erase(key);
  }
  void settle(std::int64_t now_ms = 0) {
    const Instant now{std::chrono::milliseconds(now_ms)};
    for (bool busy = true; busy;) {
      store_->request_sync();
      busy = *store_->write_out(now) == Step::kWorked;
      if (std::unique_ptr<Chore> chore = store_->next_chore(now)) {
        chore->run();
        check(store_->finish(std::move(chore)).has_value(), "nothing fails here");
        busy = true;
      }
    }
  }

 private:
  std::uint64_t clock_ms() const { return static_cast<std::uint64_t>(clock_) * 977; }

  MemoryFileSystem& files_;
  StoreModel& model_;
  std::unique_ptr<CommitLogStore> store_;
  std::int64_t clock_ = 1000;
};

}  // namespace

bool StoreImage::Entry::is_control() const {
  return header.type != EntryType::kBatch && header.type != EntryType::kFiller && header.type != EntryType::kSyncMark;
}

bool StoreImage::Harm::hits(const Entry& entry) const {
  const std::uint64_t end = entry.at + static_cast<std::uint64_t>(entry.header.size_bytes);
  return std::ranges::any_of(ranges, [&](const auto& range) {
    return range.first == entry.path && range.second.first < end && entry.at < range.second.second;
  });
}

StoreImage::StoreImage() {
  live();
  find_entries();
}

void StoreImage::live() {
  Life life(files_, model_);
  const auto a = life.create("a", 1, 0);
  const auto a1 = life.create("a", 1, 1, 500);
  const auto b = life.create("b", 2, 0);
  const auto gone = life.create("c", 3, 0);
  // Fills the first file with what dies, so that it is freed behind a snapshot.
  for (int i = 0; i < 80; ++i) {
    life.append(i % 2 == 0 ? b : gone, 1 + i % 3, 1900);
    if (i % 7 == 0) life.settle();
  }
  life.settle();
  life.remove(gone);
  life.trim(b, life.store().view(life.id(b)).end.value);
  const auto again = life.create("c", 4, 0);
  for (int i = 0; i < 150; ++i) {
    life.append(a, 1 + i % 4, i % 10 == 3 ? std::size_t{6000} : std::size_t{300});
    life.append(i % 3 == 0 ? b : a1, 1 + i % 2, 900);
    if (i % 5 == 0) life.append(again, 2, 100);
    if (i % 40 == 20) life.truncate(a, 5);
    if (i == 30 || i == 90) life.start_epoch(a1, i);
    if (i == 70) life.trim(a, 20);
    if (i % 8 == 0) life.settle();
    if (i == 100) {
      earlier_ = copy();
      check(life.store().close().has_value(), "closing works");
      life.open();
    }
  }
  // A sync mark proves the last group.
  life.settle(1);
  life.settle(3000);
  life.settle(3001);
}

void StoreImage::find_entries() {
  const LogGeometry geometry{small_store_options().new_store.file_bytes};
  const std::uint32_t seed = small_store_options().new_store.seed;
  for (const std::string& path : log_files()) {
    const Bytes bytes = content_of(files_, path);
    const LogPosition file{std::stoll(path.substr(path.find('/') + 1))};
    for (LogPosition at{file.value + kSuperblockBytes}; at < geometry.next_file(file);) {
      const auto place = static_cast<std::uint64_t>(geometry.place_in_file(at));
      if (place >= bytes.size()) break;
      const ReadHeader read = read_header(ByteView(bytes).subspan(place), seed, at);
      if (read.fault != HeaderFault::kNone) break;
      if (read.header.type == EntryType::kBatch)
        batches_[{{read.header.topic, read.header.queue.value}, read.header.base.value}] = entries_.size();
      entries_.push_back({read.header, path, place});
      at = read.header.end();
    }
  }
}

std::vector<std::string> StoreImage::log_files() const {
  std::vector<std::string> paths;
  for (const DirectoryEntry& entry : *copy()->list("commitlog")) paths.push_back("commitlog/" + entry.name);
  return paths;
}

bool StoreImage::hits(const Harm& harm, const StoreModel::Partition& partition, const StoreModel::Record& batch) const {
  const auto found = batches_.find({{partition.spec.topic, partition.spec.queue.value}, batch.base.value});
  return found != batches_.end() && harm.hits(entries_[found->second]);  // else its file was freed
}

bool StoreImage::hits_control(const Harm& harm) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.is_control() && harm.hits(entry); });
}

std::string StoreImage::judge(MemoryFileSystem& files, const Harm& harm, RecoveryReport& report) const {
  CommitLogOptions options = small_store_options();
  options.from_log_only = harm.from_log_only;
  auto opened = CommitLogStore::open(files, options, {});
  if (opened.has_error()) return "open: " + opened.error().message();
  CommitLogStore& store = **opened;
  report = store.report();
  for (const auto& [key, expected] : model_.partitions) {
    const std::string found = judge_partition(store, expected, harm);
    if (!found.empty()) return expected.spec.name + "-" + std::to_string(key.second) + ": " + found;
  }
  if (store.partitions().size() != model_.partitions.size() && !hits_control(harm)) return "other partitions";
  return "";
}

std::string StoreImage::judge_partition(CommitLogStore& store, const StoreModel::Partition& expected,
                                        const Harm& harm) const {
  const auto id = store.find(expected.spec.topic, expected.spec.queue);
  if (!id) return "missing";
  const PartitionView view = store.view(*id);
  const bool loose = harm.may_be_cut || hits_control(harm);
  // Of a batch whose header is lost nobody knows the offsets, unless something comes behind it.
  Offset end = expected.end;
  for (auto batch = expected.batches.rbegin(); batch != expected.batches.rend(); ++batch)
    if (view.end < end && hits(harm, expected, *batch)) end = batch->base;
  if (!loose && (view.start != expected.start || view.end != end))
    return "[" + std::to_string(view.start.value) + ", " + std::to_string(view.end.value) + "), expected [" +
           std::to_string(expected.start.value) + ", " + std::to_string(expected.end.value) + ")";
  // Where the first batch of an epoch is lost, the next one says where it began.
  const bool harmed = std::ranges::any_of(expected.batches,
                                          [&](const StoreModel::Record& batch) { return hits(harm, expected, batch); });
  if (!loose && !harmed && !std::ranges::equal(view.epochs, StoreModel::epochs(expected))) return "other epochs";
  for (const StoreModel::Record& batch : expected.batches) {
    if (batch.end <= expected.start) continue;
    if (batch.base >= view.end && (loose || view.end == end)) break;
    const auto plan = store.plan_read(*id, {std::max(batch.base, expected.start), batch.end, 1});
    const std::string where = "the batch at " + std::to_string(batch.base.value);
    const bool is_harmed = hits(harm, expected, batch);
    if (plan.has_error() && is_harmed && loose) continue;
    if (plan.has_error()) return where + ": " + plan.error().message();
    const auto read = store.read(*plan);
    if (read.has_error() && is_harmed && read.error() == make_error_code(StorageErrc::corrupt)) continue;
    if (read.has_error()) return where + " is refused: " + read.error().message();
    if (read->batches.size() != 1) return where + " is not there";
    const bool right = std::ranges::equal(read->batches[0], batch.bytes);
    if (!right && !(loose && was_there(expected, read->batches[0]))) return where + " has other bytes";
  }
  return loose ? "" : judge_long_read(store, *id, expected, harm);
}

/// Where the entry of a cut is lost together with what was written after it, what was cut off is there again.
bool StoreImage::was_there(const StoreModel::Partition& partition, ByteView batch) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.header.type == EntryType::kBatch && entry.header.topic == partition.spec.topic &&
           entry.header.queue == partition.spec.queue &&
           entry.header.base.value == protocol::RecordBatch(batch).base_offset() &&
           entry.header.payload_crc == protocol::RecordBatch(batch).crc();
  });
}

/// One read of everything: the batches from the start on, in order, up to the first harmed one at least.
std::string StoreImage::judge_long_read(CommitLogStore& store, PartitionId id, const StoreModel::Partition& expected,
                                        const Harm& harm) const {
  const PartitionView view = store.view(id);
  const auto plan = store.plan_read(id, {view.start, view.end, SIZE_MAX});
  if (plan.has_error()) return "all: " + plan.error().message();
  const auto read = store.read(*plan);
  const auto batches = StoreModel::read(expected, {expected.start, std::min(expected.end, view.end), SIZE_MAX});
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (hits(harm, expected, *batches[i])) return "";
    if (read.has_error()) return "all: " + read.error().message();
    if (i >= read->batches.size()) return "a read of all ends at batch " + std::to_string(i);
    if (!std::ranges::equal(read->batches[i], batches[i]->bytes)) return "a read of all has other bytes";
  }
  return "";
}

Bytes content_of(MemoryFileSystem& files, const std::string& path) {
  const auto file = files.open(path, {});
  check(file.has_value(), "the file is there");
  Bytes bytes(*(*file)->size());
  check((*file)->read(0, bytes).has_value(), "it can be read");
  return bytes;
}

}  // namespace braid::storage
