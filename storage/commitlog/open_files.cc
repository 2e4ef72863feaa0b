#include "storage/commitlog/open_files.h"

#include <algorithm>
#include <utility>

#include "protocol/base/check.h"

namespace braid::storage {
namespace {

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

OpenFiles::OpenFiles(FileSystem& files, std::size_t files_max) : files_(files), files_max_(files_max) {
  protocol::check(files_max > 0, "one file can be open");
  slots_.reserve(files_max);
}

Result<std::shared_ptr<File>> OpenFiles::open_to_read(std::string_view path) { return open(path, OpenMode::kRead); }

Result<std::shared_ptr<File>> OpenFiles::open_to_write(std::string_view path, bool create) {
  return open(path, create ? OpenMode::kCreate : OpenMode::kWrite);
}

void OpenFiles::forget(std::string_view path) {
  std::vector<Slot> closing;  // closed after the mutex is free
  const std::lock_guard guard(mutex_);
  ++forgotten_;
  const auto kept =
      std::partition(slots_.begin(), slots_.end(), [&](const Slot& slot) { return !is_at_or_below(slot.path, path); });
  closing.assign(std::move_iterator(kept), std::move_iterator(slots_.end()));
  slots_.erase(kept, slots_.end());
}

bool OpenFiles::is_used(std::string_view path) {
  const std::lock_guard guard(mutex_);
  prune_given();
  return opening_ > 0 || std::ranges::find(given_, path, &Given::path) != given_.end();
}

std::size_t OpenFiles::open_count() const {
  const std::lock_guard guard(mutex_);
  return slots_.size();
}

Result<std::shared_ptr<File>> OpenFiles::open(std::string_view path, OpenMode mode) {
  const bool writable = mode != OpenMode::kRead;
  std::uint64_t forgotten_before = 0;
  {
    const std::lock_guard guard(mutex_);
    if (auto known = find(path, writable)) return known;
    forgotten_before = forgotten_;
    ++opening_;
  }
  Result<std::unique_ptr<File>> opened = files_.open(path, {.mode = mode});

  Slot closing;  // closed after the mutex is free
  const std::lock_guard guard(mutex_);
  --opening_;
  if (opened.has_error()) return opened.error();
  std::shared_ptr<File> file = *std::move(opened);
  prune_given();
  given_.push_back({std::string(path), file});
  // Removed in the meantime, perhaps: used this once.
  if (forgotten_ != forgotten_before) return file;
  const auto same = std::ranges::find(slots_, path, &Slot::path);
  const auto place =
      same != slots_.end() || slots_.size() < files_max_ ? same : std::ranges::min_element(slots_, {}, &Slot::last_use);
  Slot slot{.path = std::string(path), .file = file, .writable = writable, .last_use = ++uses_};
  if (place == slots_.end()) {
    slots_.push_back(std::move(slot));
  } else {
    closing = std::exchange(*place, std::move(slot));
  }
  return file;
}

/// Under the mutex. What is left is as many as are open, and one a thread that uses one.
void OpenFiles::prune_given() {
  std::erase_if(given_, [](const Given& given) { return given.file.expired(); });
}

/// Under the mutex.
std::shared_ptr<File> OpenFiles::find(std::string_view path, bool writable) {
  const auto slot = std::ranges::find(slots_, path, &Slot::path);
  if (slot == slots_.end() || (writable && !slot->writable)) return nullptr;
  slot->last_use = ++uses_;
  return slot->file;
}

}  // namespace braid::storage
