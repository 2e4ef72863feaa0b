#include "storage/commitlog/log_scan.h"

#include <algorithm>
#include <cstring>

#include "protocol/base/limits.h"
#include "storage/commitlog/superblock.h"

namespace braid::storage {

bool LogScan::open(LogPosition file) {
  if (file == file_begin_) return file_ != nullptr;
  file_begin_ = file;
  file_ = nullptr;
  if (!existing_.contains(file)) return false;
  auto opened = files_.open(path_of_(file), {.mode = OpenMode::kRead});
  if (opened.has_value()) file_ = *std::move(opened);
  return file_ != nullptr;
}

ByteView LogScan::bytes(LogPosition position, std::size_t count) {
  const bool held = window_begin_.value >= 0 && position >= window_begin_ &&
                    position.value + static_cast<std::int64_t>(count) <=
                        window_begin_.value + static_cast<std::int64_t>(window_bytes_);
  if (!held) {
    if (!open(geometry_.file_of(position))) return {};
    const auto left = static_cast<std::size_t>(geometry_.next_file(position).value - position.value);
    window_.resize(std::max(std::min(protocol::kScanWindowBytes, left), std::min(count, left)));
    window_begin_ = position;
    auto read = file_->read(static_cast<std::uint64_t>(geometry_.place_in_file(position)), window_);
    if (read.has_error()) {
      // Only a part may be unreadable: the least that helps.
      window_.resize(std::min(count, left));
      read = file_->read(static_cast<std::uint64_t>(geometry_.place_in_file(position)), window_);
    }
    window_bytes_ = read.has_value() ? *read : 0;
    scanned_bytes_ += static_cast<std::int64_t>(window_bytes_);
  }
  const auto place = static_cast<std::size_t>(position.value - window_begin_.value);
  return ByteView(window_).subspan(place, std::min(count, window_bytes_ - place));
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
    for (std::size_t i = piece.size(); i > 0; --i) {
      if (piece[i - 1] == std::byte{0}) continue;
      end = LogPosition{at_position.value + static_cast<std::int64_t>(i)};
      break;
    }
    at_position = piece.empty() ? file_end : LogPosition{at_position.value + static_cast<std::int64_t>(piece.size())};
  }
  return end;
}

bool LogScan::is_recycled(LogPosition file) {
  const auto superblock = read_superblock(bytes(file, kSuperblockBytes));
  return superblock && superblock->is_recycled;
}

}  // namespace braid::storage
