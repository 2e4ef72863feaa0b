#include "storage/commitlog/log_writer.h"

#include <algorithm>
#include <utility>

#include "protocol/base/check.h"
#include "storage/commitlog/commit_log_format.h"
#include "storage/errors.h"

namespace braid::storage {

using protocol::check;
using protocol::Instant;

Result<std::unique_ptr<LogWriter>> LogWriter::create(FileSystem& files, Tail& tail, LogProgress& progress,
                                                     Options options) {
  TRY(AlignedBuffer block, AlignedBuffer::allocate(kBlockBytes));
  return std::unique_ptr<LogWriter>(new LogWriter(files, tail, progress, options, std::move(block)));
}

LogWriter::LogWriter(FileSystem& files, Tail& tail, LogProgress& progress, Options options, AlignedBuffer last_block)
    : files_(files),
      tail_(tail),
      progress_(progress),
      options_(options),
      last_block_(std::move(last_block)),
      written_(progress.written()),
      synced_(progress.synced()) {}

Result<Step> LogWriter::step(Instant now) {
  if (progress_.failed()) return make_error_code(StorageErrc::failed);
  Result<Step> worked = work(now);
  if (worked.has_error()) progress_.fail();
  return worked;
}

Result<Step> LogWriter::work(Instant now) {
  const LogPosition published = progress_.published();
  check(published >= written_, "the published end only grows");
  const bool writes = published > written_;
  if (writes) TRY_DO(write_group(published, now));
  const bool syncs = sync_due(now);
  if (syncs) TRY_DO(sync());
  return writes || syncs ? Step::kWorked : Step::kIdle;
}

Result<void> LogWriter::write_group(LogPosition published, Instant now) {
  const LogPosition begin = options_.geometry.entry_after(written_);
  TRY_DO(open_file(options_.geometry.file_of(begin)));
  stamp(begin);
  tail_.gather(begin, published, gathered_);
  check(gathered_.end > begin && !gathered_.pieces.empty(), "what is published is in the tail");

  ByteView& last = gathered_.pieces.back();
  const std::size_t partial = last.size() % kBlockBytes;
  if (partial != 0) {
    const MutableBytes block = last_block_.bytes();
    std::ranges::copy(last.last(partial), block.begin());
    std::ranges::fill(block.subspan(partial), std::byte{0});
    last = last.first(last.size() - partial);
    if (last.empty()) gathered_.pieces.pop_back();
    gathered_.pieces.push_back(block);
  }
  TRY_DO(file_->write(
      static_cast<std::uint64_t>(options_.geometry.place_in_file(LogPosition{round_down(begin.value, kBlockBytes)})),
      gathered_.pieces));

  if (written_ == synced_) unsynced_since_ = now;
  const bool file_ends = options_.geometry.file_of(published) != file_begin_;
  written_ = file_ends ? options_.geometry.next_file(begin) : gathered_.end;
  progress_.wrote(written_);
  return protocol::ok();
}

Result<void> LogWriter::open_file(LogPosition file) {
  if (file == file_begin_) return protocol::ok();
  check(file_ == nullptr || written_ == synced_, "a file is synced before the next one is written");
  TRY(file_, files_.open(log_file_path(file), {.mode = OpenMode::kWrite, .direct = true}));
  file_begin_ = file;
  return protocol::ok();
}

void LogWriter::stamp(LogPosition entry) {
  EntryHeaderBytes bytes;
  check(tail_.copy(entry, bytes), "what is not written is in the tail");
  ReadHeader read = read_header(bytes, options_.seed, entry);
  check(read.fault == HeaderFault::kNone, "a group begins with an entry");
  read.header.synced = synced_;
  tail_.overwrite(entry, encode(read.header, options_.seed));
}

bool LogWriter::sync_due(Instant now) const {
  if (written_ == synced_) return false;
  const bool wanted = progress_.sync_wanted() > synced_;
  const bool file_ended = options_.geometry.place_in_file(written_) == 0;
  const bool many = written_.value - synced_.value >= options_.bounds.bytes;
  return wanted || file_ended || many || now - unsynced_since_ >= options_.bounds.interval;
}

std::optional<Instant> LogWriter::next_sync() const {
  if (written_ == synced_) return std::nullopt;
  return unsynced_since_ + options_.bounds.interval;
}

Result<void> LogWriter::sync() {
  TRY_DO(file_->sync());
  synced_ = written_;
  progress_.synced(synced_);
  return protocol::ok();
}

}  // namespace braid::storage
