#include "storage/inspect/log_source.h"

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "protocol/base/bytes.h"
#include "storage/commitlog/superblock.h"
#include "storage/commitlog/topic_directory.h"
#include "storage/inspect/read_only_files.h"

namespace braid::storage {
namespace {

constexpr std::int64_t kIdentitySlotBytes = 4096;

std::string parent_of(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash));
}

std::string name_of(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

bool holds(const std::vector<DirectoryEntry>& entries, std::string_view name) {
  return std::ranges::any_of(entries, [&](const DirectoryEntry& entry) { return entry.name == name; });
}

InspectedPlace shard_at(std::string directory) {
  std::string folder = path_in(directory, "commitlog");
  return {.shard = std::move(directory), .is_shard = true, .folder = std::move(folder)};
}

protocol::Bytes first_block(FileSystem& files, const std::string& path) {
  const auto file = files.open(path, {.mode = OpenMode::kRead});
  protocol::Bytes block(kSuperblockBytes);
  const auto read = file.has_value() ? (*file)->read(0, block) : Result<std::size_t>(std::size_t{0});
  block.resize(read.has_value() ? *read : 0);
  return block;
}

bool is_possible(std::int64_t file_bytes) { return file_bytes > 0 && file_bytes % kBlockBytes == 0; }

/// The identity's newest slot; damage of either is told.
std::optional<Identity> find_identity(FileSystem& files, const InspectedPlace& place, InspectOutput& out) {
  ReadOnlyFiles shard(files, place.shard);
  const std::string path = path_in(place.shard, "identity");
  const auto slots = read_identity(shard);
  if (slots.has_error()) {
    const bool is_missing_elsewhere = !place.is_shard && is_missing(slots.error());
    if (!is_missing_elsewhere) out.finding({.what = slots.error().message(), .path = path});
    return std::nullopt;
  }
  std::optional<StoredIdentity> newest;
  for (std::size_t i = 0; i < slots->size(); ++i) {
    const std::optional<StoredIdentity>& slot = (*slots)[i];
    const auto at = static_cast<std::int64_t>(i) * kIdentitySlotBytes;
    if (!slot || !is_possible(slot->identity.file_bytes))
      out.finding({.what = "damaged slot of the identity", .path = path, .at = at, .bytes = kIdentitySlotBytes});
    else if (!newest || slot->sequence > newest->sequence)
      newest = slot;
  }
  return newest ? std::optional(newest->identity) : std::nullopt;
}

/// Log files by their names, and what the first whole superblock among them says.
struct FoundFiles {
  std::map<LogPosition, std::string> paths;
  std::optional<StoredSuperblock> superblock;
};

FoundFiles find_files(FileSystem& files, const InspectedPlace& place, InspectOutput& out) {
  FoundFiles found;
  const auto entries = files.list(place.folder);
  if (entries.has_error()) {
    out.finding({.what = entries.error().message(), .path = place.folder});
    return found;
  }
  for (const DirectoryEntry& entry : *entries) {
    if (is_pooled_file(entry.name)) continue;  // freed: what it holds is of no log
    const auto position = log_file_position(entry.name);
    if (!position || entry.kind != FileKind::kFile) {
      out.finding({.what = "no file of a log", .path = path_in(place.folder, entry.name)});
      continue;
    }
    const std::string path = path_in(place.folder, entry.name);
    if (!found.superblock) found.superblock = read_superblock(first_block(files, path));
    found.paths.emplace(*position, path);
  }
  return found;
}

FoundFiles find_one_file(FileSystem& files, const InspectedPlace& place) {
  FoundFiles found;
  found.superblock = read_superblock(first_block(files, place.file));
  const auto named = log_file_position(name_of(place.file));
  // A file that was copied somewhere else still says where it belongs.
  if (found.superblock) {
    found.paths.emplace(found.superblock->superblock.file, place.file);
  } else if (named) {
    found.paths.emplace(*named, place.file);
  }
  return found;
}

}  // namespace

std::optional<InspectedPlace> find_place(FileSystem& files, std::string_view path, InspectOutput& out) {
  if (!path.empty()) {
    const auto file = files.open(path, {.mode = OpenMode::kRead});
    if (file.has_value()) {
      const std::string folder = parent_of(path);
      return InspectedPlace{.shard = parent_of(folder), .folder = folder, .file = std::string(path)};
    }
    if (file.error() != boost::system::errc::is_a_directory) {
      out.finding({.what = file.error().message(), .path = std::string(path)});
      return std::nullopt;
    }
  }
  const auto entries = files.list(path);
  if (entries.has_error()) {
    out.finding({.what = entries.error().message(), .path = std::string(path)});
    return std::nullopt;
  }
  if (holds(*entries, "shard-0")) return shard_at(path_in(path, "shard-0"));
  if (holds(*entries, "commitlog") || holds(*entries, "identity")) return shard_at(std::string(path));
  const bool has_log = std::ranges::any_of(
      *entries, [](const DirectoryEntry& entry) { return log_file_position(entry.name).has_value(); });
  if (has_log) return InspectedPlace{.shard = parent_of(path), .folder = std::string(path)};
  out.finding({.what = "nothing of a store here: a data directory holds shard-0, and that identity and commitlog",
               .path = std::string(path)});
  return std::nullopt;
}

LogScan LogSource::scan(FileSystem& files) const {
  std::set<LogPosition> existing;
  for (const auto& [position, path] : paths) existing.insert(position);
  return LogScan(files, geometry, seed, std::move(existing), [this](LogPosition file) { return path_of(file); });
}

std::string LogSource::path_of(LogPosition position) const {
  const auto found = paths.find(geometry.file_of(position));
  return found == paths.end() ? log_file_path(geometry.file_of(position)) : found->second;
}

InspectFinding LogSource::finding(std::string what, LogPosition position, std::optional<std::int64_t> bytes) const {
  return {.what = std::move(what),
          .path = path_of(position),
          .at = geometry.place_in_file(position),
          .position = position,
          .bytes = bytes};
}

std::optional<LogSource> open_log(FileSystem& files, const InspectedPlace& place, InspectOutput& out) {
  FoundFiles found = place.file.empty() ? find_files(files, place, out) : find_one_file(files, place);
  LogSource source;
  source.identity = find_identity(files, place, out);
  const auto& superblock = found.superblock;
  if (source.identity && (place.file.empty() || !superblock)) {
    source.geometry.file_bytes = source.identity->file_bytes;
    source.seed = source.identity->seed;
    source.store = source.identity->store;
  } else if (superblock && is_possible(superblock->superblock.file_bytes)) {
    source.geometry.file_bytes = superblock->superblock.file_bytes;
    source.seed = superblock->seed;
    source.store = superblock->superblock.store;
  } else {
    out.finding({.what = "neither an identity nor a whole superblock says how this log is read",
                 .path = place.file.empty() ? place.folder : place.file});
    return std::nullopt;
  }
  for (auto& [position, path] : found.paths) {
    if (source.geometry.place_in_file(position) == 0) {
      source.paths.emplace(position, std::move(path));
    } else {
      out.finding(
          {.what = "no file of this log: its files begin at multiples of " + std::to_string(source.geometry.file_bytes),
           .path = path});
    }
  }
  return source;
}

void check_superblock(FileSystem& files, const LogSource& source, LogPosition file, InspectOutput& out) {
  const auto opened = files.open(source.path_of(file), {.mode = OpenMode::kRead});
  if (opened.has_error()) return;  // whoever reads the file says so
  const Superblock expected{source.store, file, source.geometry.file_bytes};
  const protocol::Bytes block = first_block(files, source.path_of(file));
  switch (judge_superblock(block, source.seed, expected)) {
    case SuperblockState::kOurs:
      return;
    case SuperblockState::kDamaged: {
      const bool is_blank = std::ranges::all_of(block, [](std::byte byte) { return byte == std::byte{0}; });
      const auto first = source.scan(files).at(LogPosition{file.value + kSuperblockBytes}).verdict;
      const bool has_entries = first == LogScan::Verdict::kEntry || first == LogScan::Verdict::kBadPayload;
      if (is_blank && !has_entries) return out.note(source.path_of(file) + " holds nothing yet: it was only just made");
      return out.finding(source.finding("damaged superblock", file, kSuperblockBytes));
    }
    case SuperblockState::kForeign:
      return out.finding(source.finding("superblock of another store, or of a newer program", file, kSuperblockBytes));
  }
}

}  // namespace braid::storage
