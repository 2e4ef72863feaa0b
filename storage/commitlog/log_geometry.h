#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/types.h"

namespace braid::storage {

inline constexpr std::int64_t kEntryHeaderBytes = 88;
inline constexpr std::int64_t kEntryAlignmentBytes = 8;
inline constexpr std::int64_t kSuperblockBytes = 4096;
inline constexpr std::int64_t kBlockBytes = 4096;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }
constexpr std::int64_t round_down(std::int64_t value, std::int64_t unit) { return value / unit * unit; }

/// A whole entry around a payload.
constexpr std::int64_t entry_size(std::int64_t payload_bytes) {
  return round_up(kEntryHeaderBytes + payload_bytes, kEntryAlignmentBytes);
}

/// How positions fall into files of one size. Pure.
struct LogGeometry {
  std::int64_t file_bytes = 0;  // a multiple of kBlockBytes

  /// First byte of the file that holds the byte at `position`.
  constexpr LogPosition file_of(LogPosition position) const {
    return LogPosition{round_down(position.value, file_bytes)};
  }
  constexpr LogPosition next_file(LogPosition position) const {
    return LogPosition{file_of(position).value + file_bytes};
  }
  constexpr std::int64_t place_in_file(LogPosition position) const { return position.value % file_bytes; }

  /// Where the entry after an end begins: behind the superblock when the end is a file's.
  constexpr LogPosition entry_after(LogPosition end) const {
    return place_in_file(end) == 0 ? LogPosition{end.value + kSuperblockBytes} : end;
  }
  /// An entry of this size may begin there: it leaves nothing of the file, or at least a header.
  constexpr bool fits(LogPosition begin, std::int64_t size_bytes) const {
    const std::int64_t left = next_file(begin).value - begin.value - size_bytes;
    return left == 0 || left >= kEntryHeaderBytes;
  }
  constexpr std::int64_t entry_bytes_max() const { return file_bytes - kSuperblockBytes; }
};

/// "commitlog/" and twenty digits.
std::string log_file_path(LogPosition file);
/// What a freed file that will be used again is called meanwhile.
std::string pooled_file_path(LogPosition file);
/// A name, without its directory, that pooled_file_path gives.
bool is_pooled_file(std::string_view name);
/// The first position of the file that has this name, without its directory; nullopt for a name that no log file has.
std::optional<LogPosition> log_file_position(std::string_view name);

}  // namespace braid::storage
