#include "storage/commitlog/log_scan.h"

#include <algorithm>
#include <cstring>

#include "storage/commitlog/superblock.h"

namespace braid::storage {
namespace {

/// Up to the last byte that is not zero.
std::size_t nonzero_bytes(ByteView bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::size_t end = bytes.size();
  // Word by word: most of what lies behind a log's end is zeros.
  for (std::uint64_t word = 0; end >= kWord; end -= kWord) {
    std::memcpy(&word, bytes.data() + end - kWord, kWord);
    if (word != 0) break;
  }
  while (end > 0 && bytes[end - 1] == std::byte{0}) --end;
  return end;
}

}  // namespace

bool LogScan::open(LogPosition file) {
  if (file == file_begin_) return file_ != nullptr;
  file_begin_ = file;
  file_ = nullptr;
  if (!existing_.contains(file)) return false;
  auto opened = files_.open(path_of_(file), {.mode = OpenMode::kRead, .direct = true});
  if (opened.has_value()) file_ = *std::move(opened);
  return file_ != nullptr;
}

bool LogScan::holds(LogPosition position, std::size_t count) const {
  return position >= window_begin_ && position.value + static_cast<std::int64_t>(count) <= window_end_.value;
}

ByteView LogScan::bytes(LogPosition position, std::size_t count) {
  if (!holds(position, count)) {
    if (!open(geometry_.file_of(position))) return {};
    move_window(position, count);
  }
  const auto place = static_cast<std::size_t>(position.value - window_begin_.value);
  if (place >= window_bytes_) return {};
  return ByteView(window_.bytes()).subspan(place, std::min(count, window_bytes_ - place));
}

void LogScan::move_window(LogPosition position, std::size_t count) {
  window_begin_ = LogPosition{round_down(position.value, kBlockBytes)};
  const auto before = static_cast<std::size_t>(position.value - window_begin_.value);
  const auto left = static_cast<std::size_t>(geometry_.next_file(position).value - window_begin_.value);
  const auto least =
      std::min(left, static_cast<std::size_t>(round_up(static_cast<std::int64_t>(before + count), kBlockBytes)));
  std::size_t size = std::min(left, std::max(window_wish_, least));
  window_wish_ = std::min(2 * window_wish_, protocol::kScanWindowBytesMax);
  auto read = fill_window(size);
  if (read.has_error()) {
    // Only a part may be unreadable: the least that helps.
    size = least;
    read = fill_window(size);
  }
  window_bytes_ = read.has_value() ? *read : 0;
  // What can't be read is asked for again; what a file doesn't have is not.
  window_end_.value = read.has_value() ? window_begin_.value + static_cast<std::int64_t>(size) : -1;
  scanned_bytes_ += static_cast<std::int64_t>(window_bytes_);
}

Result<std::size_t> LogScan::fill_window(std::size_t bytes) {
  if (window_.size() < bytes) {
    TRY(window_, AlignedBuffer::allocate(bytes));
  }
  return file_->read(static_cast<std::uint64_t>(geometry_.place_in_file(window_begin_)), window_.bytes().first(bytes));
}

LogScan::Found LogScan::at(LogPosition position) {
  Found found;
  const ByteView header = bytes(position, kEntryHeaderBytes);
  if (header.empty()) {
    found.verdict = existing_.contains(geometry_.file_of(position)) ? Verdict::kBad : Verdict::kMissing;
    return found;
  }
  const ReadHeader read = read_header(header, seed_, position);
  if (read.fault == HeaderFault::kUnknownType) found.verdict = Verdict::kNewer;
  if (read.fault != HeaderFault::kNone) return found;
  found.header = read.header;
  const bool is_filler = read.header.type == EntryType::kFiller;
  if (read.header.end() > geometry_.next_file(position) ||
      (is_filler && read.header.end() != geometry_.next_file(position)))
    return found;
  const auto size = static_cast<std::size_t>(is_filler ? kEntryHeaderBytes : read.header.size_bytes);
  found.entry = bytes(position, size);
  found.verdict = found.entry.size() == size && (is_filler || payload_matches(found.header, found.entry))
                      ? Verdict::kEntry
                      : Verdict::kBadPayload;
  return found;
}

std::optional<LogScan::Found> LogScan::next(LogPosition from, LogPosition to) {
  LogPosition at_position = from;
  while (at_position < to) {
    if (geometry_.place_in_file(at_position) < kSuperblockBytes)
      at_position = LogPosition{geometry_.file_of(at_position).value + kSuperblockBytes};
    const LogPosition file_end = geometry_.next_file(at_position);
    const ByteView here = bytes(at_position, kEntryHeaderBytes);
    if (here.size() < kEntryHeaderBytes) {
      // The file is missing, ends, or can't be read here.
      const bool is_open = open(geometry_.file_of(at_position));
      at_position = is_open && !here.empty() ? file_end
                    : is_open                ? LogPosition{at_position.value + kBlockBytes}
                                             : file_end;
      if (is_open) at_position.value = std::min(round_down(at_position.value, kEntryAlignmentBytes), file_end.value);
      continue;
    }
    // All places of the window at which a header would be whole.
    const std::int64_t whole = window_begin_.value + static_cast<std::int64_t>(window_bytes_) - at_position.value;
    const std::int64_t places_end =
        std::min(whole - kEntryHeaderBytes + 1, std::min(to, file_end).value - at_position.value);
    const auto place = static_cast<std::int64_t>(
        find_magic(bytes(at_position, static_cast<std::size_t>(whole)), static_cast<std::size_t>(places_end)));
    at_position.value += place;
    if (place >= places_end) continue;
    Found found = at(at_position);
    if (found.verdict == Verdict::kEntry || found.verdict == Verdict::kBadPayload) return found;
    at_position.value += kEntryAlignmentBytes;
  }
  return std::nullopt;
}

std::optional<LogPosition> LogScan::nonzero_end(LogPosition from, LogPosition to) {
  std::optional<LogPosition> end;
  for (LogPosition at_position = from; at_position < to;) {
    const LogPosition file_end = geometry_.next_file(at_position);
    if (geometry_.place_in_file(at_position) < kSuperblockBytes)
      at_position = LogPosition{geometry_.file_of(at_position).value + kSuperblockBytes};
    const std::int64_t left = std::min(file_end, to).value - at_position.value;
    const ByteView piece = bytes(at_position, static_cast<std::size_t>(std::clamp<std::int64_t>(left, 0, kBlockBytes)));
    const std::size_t used = nonzero_bytes(piece);
    if (used > 0) end = LogPosition{at_position.value + static_cast<std::int64_t>(used)};
    at_position = piece.empty() ? file_end : LogPosition{at_position.value + static_cast<std::int64_t>(piece.size())};
  }
  return end;
}

bool LogScan::is_recycled(LogPosition file) {
  const auto superblock = read_superblock(bytes(file, kSuperblockBytes));
  return superblock && superblock->is_recycled;
}

}  // namespace braid::storage
