#include "storage/env/memory_handle.h"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

#include "storage/env/aligned_buffer.h"

namespace braid::storage {
namespace {

/// The first `bytes` bytes of a gather list.
std::vector<ByteView> first_bytes(std::span<const ByteView> pieces, std::size_t bytes) {
  std::vector<ByteView> first;
  for (const ByteView piece : pieces) {
    first.push_back(piece.first(std::min(piece.size(), bytes)));
    bytes -= first.back().size();
  }
  return first;
}

std::size_t total_bytes(std::span<const ByteView> pieces) {
  std::size_t bytes = 0;
  for (const ByteView piece : pieces) bytes += piece.size();
  return bytes;
}

/// At least one unit, and less than all where there are two.
std::size_t part_of(std::size_t bytes, std::size_t unit, SplitMix& random) {
  const std::size_t units = bytes / unit;
  return units < 2 ? bytes : unit * (1 + static_cast<std::size_t>(random.below(units - 1)));
}

}  // namespace

MemoryHandle::MemoryHandle(std::shared_ptr<MemoryState> state, std::uint64_t file, std::string path, bool writable,
                           bool direct)
    : File(direct),
      state_(std::move(state)),
      boot_(state_->boot),
      file_(file),
      path_(std::move(path)),
      writable_(writable) {}

MemoryHandle::~MemoryHandle() {
  const std::lock_guard lock(state_->mutex);
  if (boot_ == state_->boot) state_->disk.release(file_);
}

Result<void> MemoryHandle::usable(bool for_writing) const {
  if (boot_ != state_->boot) return file_error(ESTALE);
  if (for_writing && !writable_) return file_error(EBADF);
  return protocol::ok();
}

Result<std::size_t> MemoryHandle::read_some(std::uint64_t at, MutableBytes into) {
  const CallInProgress progress(*state_, call(Operation::kRead, false));
  TRY_DO(usable(false));
  if (progress.failure()) return *progress.failure();
  for (const UnreadableRange& range : state_->unreadable)
    if (range.file == file_ && at < range.end && at + into.size() > range.begin) return file_error(range.error);
  if (progress.is_short())
    into = into.first(part_of(into.size(), direct() ? kDirectAlignmentBytes : 1, state_->chance));
  return state_->disk.read(file_, at, into);
}

Result<std::size_t> MemoryHandle::write_some(std::uint64_t at, std::span<const ByteView> pieces) {
  const CallInProgress progress(*state_, call(Operation::kWrite, true));
  TRY_DO(usable(true));
  const std::size_t bytes = total_bytes(pieces);
  if (progress.failure()) {
    if (progress.struck()) {
      // How far it came stays unknown to the caller; a full disk may cut it shorter still.
      const auto part = first_bytes(pieces, static_cast<std::size_t>(state_->chance.below(bytes + 1)));
      static_cast<void>(state_->disk.write(file_, at, part));
    }
    return *progress.failure();
  }
  if (!progress.is_short()) return state_->disk.write(file_, at, pieces);
  return state_->disk.write(file_, at,
                            first_bytes(pieces, part_of(bytes, direct() ? kSectorBytes : 1, state_->chance)));
}

Result<void> MemoryHandle::sync() {
  const CallInProgress progress(*state_, call(Operation::kSync, true));
  TRY_DO(usable(false));
  if (progress.failure()) {
    if (progress.struck()) state_->disk.fail_sync(file_, state_->chance);
    return *progress.failure();
  }
  if (!state_->lies.sync) state_->disk.sync(file_);
  return protocol::ok();
}

Result<void> MemoryHandle::truncate(std::uint64_t size_bytes) {
  const CallInProgress progress(*state_, call(Operation::kTruncate, true));
  TRY_DO(usable(true));
  if (progress.failure()) return *progress.failure();
  return state_->disk.truncate(file_, size_bytes);
}

Result<void> MemoryHandle::allocate(std::uint64_t at, std::uint64_t bytes) {
  const CallInProgress progress(*state_, call(Operation::kAllocate, true));
  TRY_DO(usable(true));
  if (progress.failure()) return *progress.failure();
  return state_->disk.allocate(file_, at, bytes);
}

Result<std::uint64_t> MemoryHandle::size() {
  const CallInProgress progress(*state_, call(Operation::kSize, false));
  TRY_DO(usable(false));
  if (progress.failure()) return *progress.failure();
  return state_->disk.size(file_);
}

MemoryLock::MemoryLock(std::shared_ptr<MemoryState> state, std::uint64_t file)
    : state_(std::move(state)), boot_(state_->boot), file_(file) {}

MemoryLock::~MemoryLock() {
  const std::lock_guard lock(state_->mutex);
  if (boot_ != state_->boot) return;
  state_->locked.erase(file_);
  state_->disk.release(file_);
}

}  // namespace braid::storage
