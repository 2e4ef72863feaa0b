#include "storage/commitlog/log_room.h"

#include <algorithm>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "storage/errors.h"

namespace braid::storage {

Result<Reservation> LogRoom::reserve(std::int64_t bytes, Purpose purpose) {
  // A file may have a filler's header less; a larger one would be proof too far away (Identity::unsynced_bytes_max).
  const std::int64_t largest = std::min(options_.geometry.entry_bytes_max() - kEntryHeaderBytes,
                                        std::max(options_.tail_bytes, protocol::kReservedBytesMax));
  if (bytes > largest) return make_error_code(StorageErrc::too_large);
  const std::lock_guard lock(mutex_);
  const bool essential = purpose == Purpose::kEssential;
  const std::int64_t kept_back = essential ? 0 : options_.essential_bytes;
  if (!blocks_suffice(bytes + kept_back)) {
    refused_bytes_ = std::max(refused_bytes_, bytes);
    return make_error_code(disk_full_ ? StorageErrc::disk_full : StorageErrc::not_yet);
  }
  const std::int64_t in_tail = end_.value - written_.value + reserved_bytes_;
  if (!essential && in_tail != 0 && in_tail + bytes > options_.tail_bytes) return make_error_code(StorageErrc::not_yet);
  reserved_bytes_ += bytes;
  return Reservation(this, static_cast<std::size_t>(bytes));
}

bool LogRoom::blocks_suffice(std::int64_t bytes) const {
  const std::int64_t needed = reserved_bytes_ + bytes + kEntryHeaderBytes;
  const LogPosition begin = options_.geometry.entry_after(end_);
  const LogPosition file_end = options_.geometry.next_file(begin);
  if (needed <= std::min(prepared_, file_end).value - begin.value) return true;
  // Any of it may meet the file's end and be the first in the next file: then all has to fit there.
  const LogPosition next{file_end.value + kSuperblockBytes};
  const LogPosition next_end{file_end.value + options_.geometry.file_bytes};
  return prepared_ > file_end && needed <= std::min(prepared_, next_end).value - next.value;
}

void LogRoom::spent(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  reserved_bytes_ -= static_cast<std::int64_t>(bytes);
  protocol::check(reserved_bytes_ >= 0, "what is spent was reserved");
}

void LogRoom::appended(LogPosition end) {
  const std::lock_guard lock(mutex_);
  end_ = end;
  protocol::check(end_ <= prepared_, "an append stays within prepared blocks");
}

void LogRoom::written(LogPosition end) {
  const std::lock_guard lock(mutex_);
  written_ = std::max(written_, end);
}

void LogRoom::prepared(LogPosition end) {
  const std::lock_guard lock(mutex_);
  prepared_ = end;
  disk_full_ = false;
  // A piece of what was refused is not yet all of it.
  if (blocks_suffice(refused_bytes_ + options_.essential_bytes)) refused_bytes_ = 0;
}

void LogRoom::disk_full(bool full) {
  const std::lock_guard lock(mutex_);
  disk_full_ = full;
}

LogPosition LogRoom::prepared() const {
  const std::lock_guard lock(mutex_);
  return prepared_;
}

std::int64_t LogRoom::wanted_bytes() const {
  const std::lock_guard lock(mutex_);
  return refused_bytes_ == 0 ? 0 : refused_bytes_ + reserved_bytes_ + options_.essential_bytes + 2 * kEntryHeaderBytes;
}

}  // namespace braid::storage
