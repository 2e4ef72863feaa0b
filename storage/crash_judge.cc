#include "storage/crash_judge.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "storage/errors.h"
#include "storage/small_store.h"
#include "storage/test_batch.h"

namespace braid::storage {
namespace {

using protocol::Instant;
using Key = StoreModel::Key;

constexpr int kChangesNearRecycling = 400;  // until the log goes on in the file

Key key_of(const CommitLogStore& store, PartitionId id) {
  const PartitionView view = store.view(id);
  return {view.topic, view.queue.value};
}

}  // namespace

void OperationHistory::recovered(LogPosition end, bool was_cut) {
  std::erase_if(operations_, [&](const Operation& operation) { return operation.end > end; });
  if (was_cut) operations_.push_back({LogPosition{end.value + 1}, [](StoreModel& model) { model.raise_epochs(); }});
}

StoreModel OperationHistory::state_at(LogPosition end) const {
  StoreModel model;
  for (const Operation& operation : operations_)
    if (operation.end <= end) operation.effect(model);
  return model;
}

std::string CrashJudge::run() {
  watch();
  open();
  for (int i = 0; i < options_.operations && failure_.empty(); ++i) {
    operate();
    if (random_.chance(1, 3)) work();
    if (random_.chance(1, 40)) {
      // The process dies and starts again.
      store_.reset();
      files_.observe({});
      files_.restart({CutVariant::kKeepAll, 0});
      watch();
      open();
    }
  }
  files_.observe({});
  return failure_;
}

void CrashJudge::watch() {
  files_.tell(options_.lies);
  files_.observe([this](const MemoryCall& call) {
    if (call.operation == Operation::kRename) changes_near_recycling_ = kChangesNearRecycling;
    if (!call.changes_disk || !failure_.empty()) return;
    if (changes_near_recycling_ > 0) --changes_near_recycling_;
    if (!options_.only_near_recycling || changes_near_recycling_ > 0) cut_here();
  });
}

void CrashJudge::open() {
  // A copy says beforehand where this start will find the end of the log: what lies behind never was, also for a cut
  // that comes while it starts.
  const auto copy = files_.after_cut({CutVariant::kKeepAll, 0});
  if (const auto tried = CommitLogStore::open(*copy, small_store_options(), {}); tried.has_value())
    history_.recovered((*tried)->report().end, (*tried)->report().was_cut);
  auto opened = CommitLogStore::open(files_, small_store_options(), {});
  if (opened.has_error()) {
    failure_ = "open: " + opened.error().message();
    return;
  }
  store_ = *std::move(opened);
}

PartitionId CrashJudge::any() {
  const auto all = store_->partitions();
  return all[random_.below(all.size())];
}

void CrashJudge::operate() {
  const std::uint64_t dice = store_->partitions().empty() ? 0 : random_.below(100);
  if (dice < 8) return create();
  if (dice < 11) return remove();
  if (dice < 80) return append();
  if (dice < 89) return trim();
  if (dice < 95) return truncate();
  start_epoch();
}

void CrashJudge::create() {
  PartitionSpec spec{.topic = {},
                     .name = "t" + std::to_string(random_.below(3)),
                     .queue = QueueId{static_cast<std::int32_t>(random_.below(2))},
                     .start = Offset{random_.chance(1, 3) ? static_cast<std::int64_t>(random_.below(1000)) : 0},
                     .indexing = 1};
  for (const PartitionId id : store_->partitions())
    if (store_->view(id).name == spec.name) spec.topic = store_->view(id).topic;
  if (spec.topic.unset()) spec.topic = protocol::uuid_from_halves(next_topic_++, 5);
  const auto created = store_->create(spec);
  if (created.has_value()) history_.add(created->end_position, [spec](StoreModel& model) { model.create(spec); });
}

void CrashJudge::remove() {
  const PartitionId id = any();
  const Key key = key_of(*store_, id);
  const auto end = store_->remove(id);
  if (end.has_value()) history_.add(*end, [key](StoreModel& model) { model.partitions.erase(key); });
}

void CrashJudge::append() {
  const PartitionId id = any();
  const Key key = key_of(*store_, id);
  const auto epochs = store_->view(id).epochs;
  const LeaderEpoch epoch = epochs.empty() ? LeaderEpoch{0} : epochs.back().epoch;
  const std::size_t body = random_.chance(1, 10) ? 9000 : random_.below(900);
  const Bytes batch = make_batch(
      {.count = 1 + static_cast<std::int32_t>(random_.below(4)), .body_bytes = body, .seed = random_.next()});
  auto room = store_->reserve(store_->entry_bytes(batch.size()), Purpose::kProduce);
  if (room.has_error()) return work();
  const Durability durability = random_.chance(1, 2) ? Durability::kSynced : Durability::kWritten;
  const auto tags = tags_of_test_batch(batch);
  const Appended appended = store_->append(
      id, {.bytes = batch, .epoch = epoch, .tag_hashes = tags, .durability = durability, .now = {}}, *room);
  history_.add(appended.end_position, [key, epoch, batch](StoreModel& model) {
    const auto found = model.partitions.find(key);
    if (found != model.partitions.end()) model.append(found->second, epoch, batch);
  });
}

void CrashJudge::trim() {
  const PartitionId id = any();
  const PartitionView view = store_->view(id);
  const Key key = key_of(*store_, id);
  const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(view.end.value - view.start.value, 0));
  const Offset start =
      random_.chance(1, 2) ? view.end : Offset{view.start.value + static_cast<std::int64_t>(random_.below(length + 1))};
  const auto end = store_->trim(id, start);
  if (end.has_value() && end->value != 0)
    history_.add(*end, [key, start](StoreModel& model) { StoreModel::trim(model.partitions.at(key), start); });
}

void CrashJudge::truncate() {
  const PartitionId id = any();
  const PartitionView view = store_->view(id);
  const Key key = key_of(*store_, id);
  const auto length = std::min<std::int64_t>(view.end.value - view.start.value, 10);
  const Offset to{view.end.value - static_cast<std::int64_t>(random_.below(
                                       static_cast<std::uint64_t>(std::max<std::int64_t>(length, 0)) + 1))};
  const auto end = store_->truncate(id, to);
  if (end.has_value())
    history_.add(*end, [key, to](StoreModel& model) { StoreModel::truncate(model.partitions.at(key), to); });
}

void CrashJudge::start_epoch() {
  const PartitionId id = any();
  const Key key = key_of(*store_, id);
  const auto epochs = store_->view(id).epochs;
  const LeaderEpoch epoch{epochs.empty() ? 1 : epochs.back().epoch.value + 1};
  const auto end = store_->start_epoch(id, epoch);
  if (end.has_value())
    history_.add(*end, [key, epoch](StoreModel& model) { StoreModel::start_epoch(model.partitions.at(key), epoch); });
}

void CrashJudge::work() {
  clock_ms_ += static_cast<std::int64_t>(random_.below(400));
  const Instant now{std::chrono::milliseconds(clock_ms_)};
  if (store_->write_out(now).has_error()) failure_ = "write_out failed";
  if (options_.acknowledge_early) acknowledged_ = store_->progress().written;
  if (random_.chance(1, 2)) return;
  if (std::unique_ptr<Chore> chore = store_->next_chore(now)) {
    chore->run();
    if (store_->finish(std::move(chore)).has_error()) failure_ = "a chore failed";
  }
}

void CrashJudge::cut_here() {
  if (store_ && !options_.acknowledge_early) acknowledged_ = std::max(acknowledged_, store_->progress().synced);
  if (!random_.chance(1, options_.one_in)) return;
  const std::uint64_t seed = random_.next();
  for (std::size_t i = 0; i < kCutVariants.size() && failure_.empty(); ++i) {
    if (!options_.every_variant && i != seed % kCutVariants.size()) continue;
    const PowerCut cut{kCutVariants[i], seed};
    const std::string found = judge(cut);
    if (!found.empty())
      failure_ = std::string(name_of(cut.variant)) + " at change " + std::to_string(files_.changes()) + ": " + found;
  }
}

/// It must be the state after so many operations, acknowledged ones among them; and again when that recovery is cut.
std::string CrashJudge::judge(PowerCut cut) {
  ++crash_points_;
  bool was_cut = false;
  LogPosition end;
  std::string found = judge_disk(*files_.after_cut(cut), history_, was_cut, end);
  if (!found.empty() || !options_.cut_recovery) return found;

  OperationHistory then = history_;
  then.recovered(end, was_cut);
  const auto disk = files_.after_cut(cut);
  const PowerCut again{kCutVariants[random_.below(kCutVariants.size())], random_.next()};
  disk->cut_power_after(random_.below(30));
  static_cast<void>(CommitLogStore::open(*disk, small_store_options(), {}).has_value());
  disk->restart(again);
  ++crash_points_;
  const std::string deeper = judge_disk(*disk, then, was_cut, end);
  return deeper.empty() ? deeper : "and " + std::string(name_of(again.variant)) + " in its recovery: " + deeper;
}

std::string CrashJudge::judge_disk(MemoryFileSystem& disk, const OperationHistory& history, bool& was_cut,
                                   LogPosition& end) {
  const auto opened = CommitLogStore::open(disk, small_store_options(), {});
  if (opened.has_error()) return "open: " + opened.error().message();
  CommitLogStore& store = **opened;
  const RecoveryReport& report = store.report();
  end = report.end;
  was_cut = report.was_cut;
  if (end < acknowledged_)
    return "the log ends at " + std::to_string(end.value) + ", acknowledged " + std::to_string(acknowledged_.value);
  for (const RecoveryFinding& finding : report.findings) {
    using Kind = RecoveryFinding::Kind;
    const bool ordinary = finding.kind == Kind::kTornTail || finding.kind == Kind::kBadCheckpoint ||
                          finding.kind == Kind::kBadIdentitySlot || finding.kind == Kind::kBadSuperblock;
    if (!ordinary)
      return std::string("found: ") + name_of(finding.kind) + " at " + std::to_string(finding.position.value);
  }
  StoreModel expected = history.state_at(end);
  if (was_cut) expected.raise_epochs();
  const std::string found = difference(store, expected);
  return found.empty() ? found : found + " (the log ends at " + std::to_string(end.value) + ")";
}

}  // namespace braid::storage
