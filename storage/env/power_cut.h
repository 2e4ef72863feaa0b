#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace braid::storage {

/// What a machine may find after it stopped. "Unsynced" is everything since the last sync of that file or directory.
enum class CutVariant {
  kDropUnsynced,        // nothing unsynced is there
  kKeepAll,             // the process was killed: all is there, and still as unsynced as it was
  kRandomPages,         // any subset of the unsynced 4 KiB writes and names
  kTornPage,            // all up to one write, of which some 512-byte sectors are there, and nothing after it
  kReorderedFiles,      // of each file and directory the first so many changes, independent of the other files
  kLengthWithoutBytes,  // files have their new length, the new bytes are zeros or another file's old ones
  kNamesLost,           // all bytes are there; names made, renamed or removed without sync_directory are as before
  kAllocationLost,      // as kDropUnsynced, and space that was allocated but never written is gone, synced or not
};

inline constexpr std::array kCutVariants = {
    CutVariant::kDropUnsynced, CutVariant::kKeepAll,        CutVariant::kRandomPages,
    CutVariant::kTornPage,     CutVariant::kReorderedFiles, CutVariant::kLengthWithoutBytes,
    CutVariant::kNamesLost,    CutVariant::kAllocationLost,
};

/// The same cut of the same state leaves the same disk.
struct PowerCut {
  CutVariant variant = CutVariant::kDropUnsynced;
  std::uint64_t seed = 0;
};

constexpr std::string_view name_of(CutVariant variant) {
  switch (variant) {
    case CutVariant::kDropUnsynced:
      return "drop_unsynced";
    case CutVariant::kKeepAll:
      return "keep_all";
    case CutVariant::kRandomPages:
      return "random_pages";
    case CutVariant::kTornPage:
      return "torn_page";
    case CutVariant::kReorderedFiles:
      return "reordered_files";
    case CutVariant::kLengthWithoutBytes:
      return "length_without_bytes";
    case CutVariant::kNamesLost:
      return "names_lost";
    case CutVariant::kAllocationLost:
      return "allocation_lost";
  }
  return "unknown";
}

}  // namespace braid::storage
