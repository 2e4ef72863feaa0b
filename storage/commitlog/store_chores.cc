#include "storage/commitlog/store_chores.h"

#include <boost/system/errc.hpp>

#include "storage/commitlog/checkpoint.h"
#include "storage/commitlog/topic_directory.h"

namespace braid::storage {

namespace {

bool is_full(const Result<void>& outcome) {
  return outcome.has_error() && outcome.error() == boost::system::errc::no_space_on_device;
}

}  // namespace

bool StoreChore::found_disk_full() const { return is_full(outcome_); }

Result<void> AllocateBlocks::work() {
  auto done = allocate_blocks(files_, preparation_);
  if (!is_full(done) || preparation_.end == smaller_.end) return done;
  preparation_ = smaller_;
  return allocate_blocks(files_, preparation_);
}

Result<void> WriteQueues::work() {
  for (const Item& item : items_) {
    const QueueName name{item.identity->topic, item.identity->name, item.identity->queue};
    TRY_DO(queues_.write(name, item.units));
    // Below the first file's end there is none to remove.
    if (item.begin.value >= kQueueFileUnits) TRY_DO(queues_.trim(name, item.begin));
  }
  return files_.sync_all();
}

Result<void> WriteCheckpoint::work() { return store_checkpoint(files_, slot_, bytes_); }

Result<void> RemoveQueues::work() {
  for (const Removal& removal : removals_) {
    // A topic that was made again under this name has the directory now: it is not ours to remove.
    TRY(const std::optional<TopicId> owner, queues_.topics().id_of(removal.name));
    if (owner && *owner != removal.topic) continue;
    if (removal.topic_gone) {
      TRY_DO(queues_.remove_topic(removal.name));
    } else {
      TRY_DO(queues_.remove_queue({removal.topic, removal.name, removal.queue}));
    }
  }
  return protocol::ok();
}

Result<void> CheckDerived::work() {
  if (slot_) {
    const protocol::Bytes slot = load_checkpoint_slot(files_, *slot_);
    slot_is_bad_ = !slot.empty() && read_checkpoint(slot, store_).fault != CheckpointFault::kNone;
  }
  for (const QueueInFiles& queue : of_)
    if (!stands(queues_, queue)) bad_queues_.push_back(queue.partition);
  return protocol::ok();
}

Result<void> RebuildQueues::work() {
  TRY_DO(rebuild_->step(queues_));
  return rebuild_->done() ? files_.sync_all() : protocol::ok();
}

Result<void> RemoveFiles::work() {
  for (const LogPosition file : options_.log_files) {
    const std::string path = log_file_path(file);
    open_files_.forget(path);
    const bool is_kept = pooled_.size() < options_.pooled_max && is_of_use(path);
    const auto gone = is_kept ? files_.rename(path, pooled_file_path(file)) : files_.remove_file(path);
    if (gone.has_error() && !is_missing(gone.error())) return gone;
    if (is_kept && gone.has_value()) pooled_.push_back(file);
  }
  // Before the pool's files become others: else one could come back under its old name as what it is then.
  return files_.sync_directory("commitlog");
}

/// Nobody reads it, and all its blocks are there.
bool RemoveFiles::is_of_use(const std::string& path) {
  if (open_files_.is_used(path)) return false;
  const auto file = files_.open(path, {.mode = OpenMode::kRead});
  if (file.has_error()) return false;
  const auto size = (*file)->size();
  return size.has_value() && static_cast<std::int64_t>(*size) == options_.file_bytes;
}

}  // namespace braid::storage
