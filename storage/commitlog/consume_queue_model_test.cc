// Random operations against plain vectors, with write-outs under way, full disks, clean restarts and power cuts. After
// a cut the queue is what its checkpoint said, and what came after it is applied again, as recovery does from the log.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "storage/commitlog/consume_queue_files.h"
#include "storage/env/file_text.h"
#include "storage/env/memory_file_system.h"
#include "storage/env/split_mix.h"
#include "storage/errors.h"
#include "storage/test_seed.h"

namespace braid::storage {
namespace {

constexpr LogPosition kAllSynced{INT64_MAX};

struct ModelUnit {
  QueueUnit unit;
  std::int64_t timestamp = kNoTimestamp;
};

/// What the log says about the queue.
struct Change {
  enum class Kind { kAppend, kLose, kTruncate, kTrim, kReset } kind = Kind::kAppend;
  QueuedEntry entry = {};
  std::vector<std::int64_t> tag_hashes = {};  // of kAppend
  std::int64_t number = 0;                    // records lost, or an offset
};

/// The oracle.
struct Model {
  std::int64_t begin = 0;
  std::vector<ModelUnit> units;

  std::int64_t end() const { return begin + static_cast<std::int64_t>(units.size()); }
  const ModelUnit& at(std::int64_t offset) const { return units[static_cast<std::size_t>(offset - begin)]; }

  void apply(const Change& change) {
    const auto up_to = [&](std::int64_t offset) { return units.begin() + (offset - begin); };
    switch (change.kind) {
      case Change::Kind::kAppend:
        for (const std::int64_t hash : change.tag_hashes)
          units.push_back({{change.entry.position.value, change.entry.size_bytes, hash}, change.entry.timestamp_max});
        return;
      case Change::Kind::kLose:
        units.resize(units.size() + static_cast<std::size_t>(change.number));
        return;
      case Change::Kind::kTruncate:
        units.erase(up_to(change.number), units.end());
        return;
      case Change::Kind::kTrim:
        units.erase(units.begin(), up_to(change.number));
        begin = change.number;
        return;
      case Change::Kind::kReset:
        units.clear();
        begin = change.number;
        return;
    }
  }

  std::int64_t find_time(std::int64_t timestamp, std::int64_t from) const {
    for (; from < end(); ++from) {
      if (at(from).timestamp >= timestamp) return from;
    }
    return -1;
  }
};

void apply(ConsumeQueue& queue, const Change& change) {
  switch (change.kind) {
    case Change::Kind::kAppend:
      return queue.append(change.entry, change.tag_hashes);
    case Change::Kind::kLose:
      return queue.append_lost(change.number);
    case Change::Kind::kTruncate:
      return queue.truncate(Offset{change.number});
    case Change::Kind::kTrim:
      return queue.trim(Offset{change.number});
    case Change::Kind::kReset:
      return queue.reset(Offset{change.number});
  }
}

struct Checkpoint {
  Offset begin;
  Offset written_end;
  std::vector<ConsumeQueue::Found> runs;
};

class RandomLife {
 public:
  explicit RandomLife(std::uint64_t seed) : random_(seed) {
    expect_ok(disk_.make_directory("cq"));
    expect_ok(disk_.sync_all());
    change({.kind = Change::Kind::kReset, .number = some_begin()});
    checkpoint_ = {queue_.begin(), queue_.begin(), {}};
    changes_.clear();
  }

  void step() {
    const std::uint64_t dice = random_.below(100);
    if (dice < 45) return append();
    if (dice < 48) return change({.kind = Change::Kind::kLose, .number = 1 + below(30)});
    if (dice < 53) return change({.kind = Change::Kind::kTruncate, .number = between(model_.begin, model_.end())});
    if (dice < 58) return trim(between(model_.begin, model_.end()));
    if (dice < 60) return reset(between(model_.begin, model_.end()));
    if (dice < 72) return take();
    if (dice < 84) return settle();
    if (dice < 87) return queue_.release();
    if (dice < 93) return save();
    if (dice < 95) return restart();
    if (dice < 97) return cut();
    look_everywhere();
  }

  void look_everywhere() {
    ASSERT_EQ(queue_.begin().value, model_.begin);
    ASSERT_EQ(queue_.end().value, model_.end());
    for (int i = 0; i < 20 && model_.end() > model_.begin; ++i) {
      look_at(between(model_.begin, model_.end() - 1));
      look_for_time(below(100), between(model_.begin, model_.end()));
    }
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  std::int64_t between(std::int64_t first, std::int64_t last) { return first + below(last - first + 1); }
  /// Near the border of two files, so that it is met, or near 0.
  std::int64_t some_begin() { return random_.chance(1, 8) ? 299'000 + below(1200) : below(600); }

  void change(const Change& change) {
    model_.apply(change);
    apply(queue_, change);
    changes_.push_back(change);
  }

  void append() {
    Change change;
    change.entry = {
        .position = next_, .size_bytes = static_cast<std::int32_t>(96 + below(1000)), .timestamp_max = below(100)};
    next_.value += change.entry.size_bytes;
    change.tag_hashes.resize(static_cast<std::size_t>(1 + below(random_.chance(1, 10) ? 900 : 40)));
    if (random_.chance(1, 2)) {
      for (std::int64_t& hash : change.tag_hashes) hash = below(3) - 1;
    }
    this->change(change);
  }

  void trim(std::int64_t begin) {
    change({.kind = Change::Kind::kTrim, .number = begin});
    if (!taken_) expect_ok(files_->trim(name_, Offset{begin}));
  }

  /// As after a snapshot from a leader: the queue goes on elsewhere.
  void reset(std::int64_t begin) { change({.kind = Change::Kind::kReset, .number = begin}); }

  void take() {
    if (!taken_) taken_ = queue_.take(kAllSynced, write_);
  }

  void settle() {
    if (!taken_) return;
    taken_ = false;
    if (random_.chance(1, 6))
      disk_.plan({.operation = Operation::kWrite, .nth = 1 + random_.below(3), .error = ENOSPC});
    const Result<void> done = files_->write(name_, write_);
    disk_.clear_faults();
    if (done.has_error()) return queue_.give_back();
    queue_.written();
  }

  /// A checkpoint: everything is synced, then it is said.
  void save() {
    settle();
    expect_ok(disk_.sync_all());
    checkpoint_ = {queue_.begin(), queue_.written_end(), {}};
    for (std::uint32_t i = 0; i < queue_.run_count(); ++i) checkpoint_.runs.push_back(queue_.run(i));
    changes_.clear();
  }

  void load_checkpoint() {
    queue_ = ConsumeQueue::restored(checkpoint_.begin, checkpoint_.written_end);
    for (const auto& [run, end] : checkpoint_.runs) {
      const std::int64_t count = end.value - run.first.value;
      if (run.size_bytes == 0) {
        queue_.append_lost(count);
      } else {
        queue_.append_run({run.position, run.size_bytes, run.timestamp_max}, run.tag_hash, count);
      }
    }
  }

  void restart() {
    save();
    load_checkpoint();
    reopen();
  }

  void cut() {
    taken_ = false;
    const CutVariant variant = kCutVariants[random_.below(kCutVariants.size())];
    disk_.restart({.variant = variant, .seed = random_.next()});
    reopen();
    load_checkpoint();
    for (const Change& change : changes_) apply(queue_, change);
    look_everywhere();
  }

  void reopen() {
    files_.reset();
    open_.emplace(disk_, 2);
    files_.emplace(disk_, *open_, "cq");
  }

  void look_at(std::int64_t offset) {
    const QueueUnit& expected = model_.at(offset).unit;
    if (const auto found = queue_.find(Offset{offset})) {
      ASSERT_EQ(found->run.position.value, expected.position) << offset;
      ASSERT_EQ(found->run.size_bytes, expected.size_bytes) << offset;
      ASSERT_EQ(found->run.tag_hash, expected.tag_hash) << offset;
      ASSERT_GT(found->end.value, offset);
      return;
    }
    std::array<QueueUnit, 1> unit;
    const Result<void> read = files_->read(name_, Offset{offset}, unit);
    if (expected == QueueUnit{}) {
      ASSERT_EQ(read.error(), make_error_code(StorageErrc::corrupt)) << offset;
      return;
    }
    ASSERT_TRUE(read.has_value()) << offset << ": " << read.error().message();
    ASSERT_EQ(unit[0], expected) << offset;
  }

  /// As a store does: the pages of the files, each looked into, then memory.
  void look_for_time(std::int64_t timestamp, std::int64_t from) {
    const std::int64_t expected = model_.find_time(timestamp, from);
    for (std::int64_t at = from;;) {
      const auto page = files_->find_time_page(name_, timestamp, Offset{at}, queue_.written_end());
      ASSERT_TRUE(page.has_value());
      if (!*page) break;
      const std::int64_t page_end = (*page)->value / kQueuePageUnits * kQueuePageUnits + kQueuePageUnits;
      const std::int64_t end = std::min(page_end, queue_.written_end().value);
      for (at = (*page)->value; at < end; ++at) {
        if (model_.at(at).timestamp >= timestamp) {
          ASSERT_EQ(at, expected) << "timestamp " << timestamp << " from " << from;
          return;
        }
      }
    }
    const std::optional<Offset> found = queue_.find_time(timestamp, Offset{from});
    ASSERT_EQ(found ? found->value : -1, expected) << "timestamp " << timestamp << " from " << from;
  }

  SplitMix random_;
  MemoryFileSystem disk_;
  std::optional<OpenFiles> open_{std::in_place, disk_, std::size_t{2}};
  std::optional<ConsumeQueueFiles> files_{std::in_place, disk_, *open_, "cq"};
  const QueueName name_{.topic_id = TopicId{{9}}, .topic = "t", .queue = QueueId{0}};

  ConsumeQueue queue_;
  Model model_;
  QueueWrite write_;
  bool taken_ = false;
  LogPosition next_{4096};

  Checkpoint checkpoint_;
  std::vector<Change> changes_;  // since the checkpoint
};

TEST(ConsumeQueueModel, RandomOperationsRestartsAndPowerCutsLeaveWhatTheVectorSays) {
  const std::uint64_t seed = test_seed();
  const std::uint64_t runs = test_scale(150, 10'000);
  for (std::uint64_t i = 0; i < runs; ++i) {
    SCOPED_TRACE("run " + std::to_string(i) + " of BRAID_SEED=" + std::to_string(seed));
    RandomLife run(seed + i);
    for (int step = 0; step < 200 && !testing::Test::HasFailure(); ++step) run.step();
    if (!testing::Test::HasFailure()) run.look_everywhere();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  print_count(runs, "lives of a queue with 200 random steps each");
}

}  // namespace
}  // namespace braid::storage
