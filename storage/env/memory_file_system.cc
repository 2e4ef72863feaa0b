#include "storage/env/memory_file_system.h"

#include <cerrno>
#include <mutex>
#include <utility>

#include "storage/env/memory_handle.h"
#include "storage/env/memory_state.h"

namespace braid::storage {

MemoryFileSystem::MemoryFileSystem(MemoryOptions options) : state_(std::make_shared<MemoryState>(options)) {}

MemoryFileSystem::MemoryFileSystem(std::shared_ptr<MemoryState> state) : state_(std::move(state)) {}

MemoryFileSystem::~MemoryFileSystem() = default;

Result<std::unique_ptr<File>> MemoryFileSystem::open(std::string_view path, OpenOptions options) {
  const bool may_create = options.mode == OpenMode::kCreate || options.mode == OpenMode::kCreateNew;
  const CallInProgress progress(*state_, {Operation::kOpen, path, may_create});
  if (progress.failure()) return *progress.failure();
  TRY(const std::uint64_t file, state_->disk.open(path, options.mode));
  state_->disk.hold(file);
  return std::make_unique<MemoryHandle>(state_, file, std::string(path), options.mode != OpenMode::kRead,
                                        options.direct && state_->allows_direct);
}

Result<void> MemoryFileSystem::rename(std::string_view from, std::string_view to) {
  const CallInProgress progress(*state_, {Operation::kRename, from, true});
  if (progress.failure()) return *progress.failure();
  return state_->disk.rename(from, to);
}

Result<void> MemoryFileSystem::remove_file(std::string_view path) {
  const CallInProgress progress(*state_, {Operation::kRemoveFile, path, true});
  if (progress.failure()) return *progress.failure();
  return state_->disk.remove_file(path);
}

Result<void> MemoryFileSystem::make_directory(std::string_view path) {
  const CallInProgress progress(*state_, {Operation::kMakeDirectory, path, true});
  if (progress.failure()) return *progress.failure();
  return state_->disk.make_directory(path);
}

Result<void> MemoryFileSystem::remove_directory(std::string_view path) {
  const CallInProgress progress(*state_, {Operation::kRemoveDirectory, path, true});
  if (progress.failure()) return *progress.failure();
  return state_->disk.remove_directory(path);
}

Result<std::vector<DirectoryEntry>> MemoryFileSystem::list(std::string_view directory) {
  const CallInProgress progress(*state_, {Operation::kList, directory, false});
  if (progress.failure()) return *progress.failure();
  return state_->disk.list(directory);
}

Result<void> MemoryFileSystem::sync_directory(std::string_view directory) {
  const CallInProgress progress(*state_, {Operation::kSyncDirectory, directory, true});
  if (progress.failure()) return *progress.failure();
  TRY(const std::uint64_t id, state_->disk.find_directory(directory));
  if (!state_->lies.sync_directory) state_->disk.sync_directory(id);
  return protocol::ok();
}

Result<void> MemoryFileSystem::sync_all() {
  const CallInProgress progress(*state_, {Operation::kSyncAll, "", true});
  if (progress.failure()) {
    if (progress.struck()) state_->disk.fail_sync_all(state_->chance);
    return *progress.failure();
  }
  if (!state_->lies.sync && !state_->lies.sync_all) state_->disk.sync_files();
  if (!state_->lies.sync_directory) state_->disk.sync_names();
  return protocol::ok();
}

Result<std::unique_ptr<FileLock>> MemoryFileSystem::lock(std::string_view path) {
  const CallInProgress progress(*state_, {Operation::kLock, path, true});
  if (progress.failure()) return *progress.failure();
  TRY(const std::uint64_t file, state_->disk.open(path, OpenMode::kCreate));
  if (!state_->locked.insert(file).second) return file_error(EAGAIN);
  state_->disk.hold(file);
  return std::make_unique<MemoryLock>(state_, file);
}

Result<DiskSpace> MemoryFileSystem::space() {
  const CallInProgress progress(*state_, {Operation::kSpace, "", false});
  if (progress.failure()) return *progress.failure();
  return state_->disk.space();
}

void MemoryFileSystem::cut_power_after(std::uint64_t changes) {
  const std::lock_guard lock(state_->mutex);
  state_->changes_left = changes;
}

bool MemoryFileSystem::has_power() const {
  const std::lock_guard lock(state_->mutex);
  return state_->has_power;
}

void MemoryFileSystem::restart(PowerCut cut) {
  const std::lock_guard lock(state_->mutex);
  state_->disk.cut(cut);
  ++state_->boot;
  state_->locked.clear();
  state_->faults.clear();
  state_->lies = {};
  state_->changes_left = std::numeric_limits<std::uint64_t>::max();
  state_->has_power = true;
}

std::unique_ptr<MemoryFileSystem> MemoryFileSystem::after_cut(PowerCut cut) const {
  auto found =
      std::make_shared<MemoryState>(MemoryOptions{.capacity_bytes = 0, .allows_direct = state_->allows_direct});
  {
    const std::lock_guard lock(state_->mutex);
    found->disk = state_->disk;
    found->unreadable = state_->unreadable;
  }
  found->disk.cut(cut);
  return std::unique_ptr<MemoryFileSystem>(new MemoryFileSystem(std::move(found)));
}

void MemoryFileSystem::plan(Fault fault) {
  const std::lock_guard lock(state_->mutex);
  state_->faults.add(std::move(fault));
}

void MemoryFileSystem::clear_faults() {
  const std::lock_guard lock(state_->mutex);
  state_->faults.clear();
}

Result<void> MemoryFileSystem::fail_reads(std::string_view path, std::uint64_t begin, std::uint64_t end, int error) {
  const std::lock_guard lock(state_->mutex);
  TRY(const std::uint64_t file, state_->disk.find_file(path));
  state_->unreadable.push_back({file, begin, end, error});
  return protocol::ok();
}

void MemoryFileSystem::heal_reads() {
  const std::lock_guard lock(state_->mutex);
  state_->unreadable.clear();
}

void MemoryFileSystem::set_capacity(std::uint64_t bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->disk.set_capacity(bytes);
}

void MemoryFileSystem::tell(Lies lies) {
  const std::lock_guard lock(state_->mutex);
  state_->lies = lies;
}

Result<void> MemoryFileSystem::damage(std::string_view path, std::uint64_t at, ByteView bytes) {
  const std::lock_guard lock(state_->mutex);
  TRY(const std::uint64_t file, state_->disk.find_file(path));
  state_->disk.damage(file, at, bytes);
  return protocol::ok();
}

void MemoryFileSystem::observe(std::function<void(const MemoryCall&)> observer) {
  state_->observer = std::move(observer);
}

std::uint64_t MemoryFileSystem::calls(Operation operation) const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls[static_cast<std::size_t>(operation)];
}

std::uint64_t MemoryFileSystem::changes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->changes;
}

}  // namespace braid::storage
