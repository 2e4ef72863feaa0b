#include "storage/env/memory_disk.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "storage/env/file_path.h"

namespace braid::storage {
namespace {

std::uint64_t pages_for(std::uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

bool fits_a_file(std::uint64_t at, std::uint64_t bytes) {
  return at <= protocol::kMemoryFileBytesMax && bytes <= protocol::kMemoryFileBytesMax - at;
}

}  // namespace

MemoryFile& MemoryDisk::file(std::uint64_t id) {
  const auto found = files_.find(id);
  protocol::check(found != files_.end(), "a file has a name or a holder");
  return found->second;
}

const MemoryFile& MemoryDisk::file(std::uint64_t id) const {
  const auto found = files_.find(id);
  protocol::check(found != files_.end(), "a file has a name or a holder");
  return found->second;
}

Result<MemoryDisk::Place> MemoryDisk::locate(std::string_view path) const {
  if (!is_file_path(path)) return file_error(EINVAL);
  const std::size_t slash = path.rfind('/');
  const std::string_view parent = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  Place place;
  TRY(place.directory, find_directory(parent));
  place.name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  const NameTree::Directory& names = names_.seen().names(place.directory);
  if (const auto found = names.find(place.name); found != names.end()) place.node = found->second;
  return place;
}

Result<Node> MemoryDisk::find_node(std::string_view path) const {
  Node node = kRootNode;
  for (const std::string_view name : path_names(path)) {
    if (!node.is_directory) return file_error(ENOTDIR);
    const NameTree::Directory& names = names_.seen().names(node.id);
    const auto found = names.find(name);
    if (found == names.end()) return file_error(ENOENT);
    node = found->second;
  }
  return node;
}

Result<std::uint64_t> MemoryDisk::find_directory(std::string_view directory) const {
  if (!is_directory_path(directory)) return file_error(EINVAL);
  TRY(const Node node, find_node(directory));
  if (!node.is_directory) return file_error(ENOTDIR);
  return node.id;
}

Result<std::uint64_t> MemoryDisk::find_file(std::string_view path) const {
  if (!is_file_path(path)) return file_error(EINVAL);
  TRY(const Node node, find_node(path));
  if (node.is_directory) return file_error(EISDIR);
  return node.id;
}

Result<std::uint64_t> MemoryDisk::open(std::string_view path, OpenMode mode) {
  TRY(const Place place, locate(path));
  if (place.node) {
    if (mode == OpenMode::kCreateNew) return file_error(EEXIST);
    if (place.node->is_directory) return file_error(EISDIR);
    return place.node->id;
  }
  if (mode == OpenMode::kRead || mode == OpenMode::kWrite) return file_error(ENOENT);
  const Node node{next_id_++, false};
  files_.try_emplace(node.id);
  names_.change({{place.directory, place.name, node}});
  return node.id;
}

void MemoryDisk::release(std::uint64_t id) {
  const auto held = holds_.find(id);
  protocol::check(held != holds_.end(), "a file is released once for each hold");
  if (--held->second > 0) return;
  holds_.erase(held);
  if (nameless_.contains(id)) give_space(id);
}

std::size_t MemoryDisk::read(std::uint64_t id, std::uint64_t at, MutableBytes into) const {
  return file(id).seen().read(at, into);
}

std::uint64_t MemoryDisk::size(std::uint64_t id) const { return file(id).seen().size(); }

std::uint64_t MemoryDisk::free_pages() const {
  const std::uint64_t pages = capacity_bytes_ / kPageBytes;
  return pages - std::min(pages, used_pages_);
}

template <class Change>
void MemoryDisk::change_file(std::uint64_t id, Change change) {
  MemoryFile& changed = file(id);
  used_pages_ -= changed.seen().allocated_pages();
  change(changed);
  used_pages_ += changed.seen().allocated_pages();
}

Result<std::size_t> MemoryDisk::write(std::uint64_t id, std::uint64_t at, std::span<const ByteView> pieces) {
  std::size_t done = 0;
  for (const ByteView piece : pieces) {
    if (!fits_a_file(at, piece.size())) return file_error(EFBIG);
    // The part of the piece that the free pages carry.
    std::size_t fits = 0;
    std::uint64_t free = free_pages();
    while (fits < piece.size()) {
      const std::uint64_t index = (at + fits) / kPageBytes;
      if (file(id).seen().page(index) == nullptr && free-- == 0) break;
      fits = std::min(piece.size(), fits + kPageBytes - static_cast<std::size_t>((at + fits) % kPageBytes));
    }
    change_file(id, [&](MemoryFile& changed) { changed.write(at, piece.first(fits), sequence_); });
    at += fits;
    done += fits;
    if (fits < piece.size()) break;
  }
  const bool wanted_some = std::ranges::any_of(pieces, [](ByteView piece) { return !piece.empty(); });
  if (done == 0 && wanted_some) return file_error(ENOSPC);
  return done;
}

Result<void> MemoryDisk::truncate(std::uint64_t id, std::uint64_t size_bytes) {
  if (!fits_a_file(0, size_bytes)) return file_error(EFBIG);
  change_file(id, [&](MemoryFile& changed) { changed.resize(size_bytes, sequence_); });
  return protocol::ok();
}

Result<void> MemoryDisk::allocate(std::uint64_t id, std::uint64_t at, std::uint64_t bytes) {
  if (bytes == 0) return file_error(EINVAL);
  if (!fits_a_file(at, bytes)) return file_error(EFBIG);
  const std::uint64_t begin = at / kPageBytes;
  const std::uint64_t end = pages_for(at + bytes);
  std::uint64_t needed = 0;
  for (std::uint64_t index = begin; index < end; ++index)
    if (file(id).seen().page(index) == nullptr) ++needed;
  if (needed > free_pages()) return file_error(ENOSPC);
  change_file(id, [&](MemoryFile& changed) {
    if (at + bytes > changed.seen().size()) changed.resize(at + bytes, sequence_);
    changed.allocate(begin, end, sequence_);
  });
  return protocol::ok();
}

void MemoryDisk::sync(std::uint64_t id) { file(id).sync(); }

void MemoryDisk::fail_sync(std::uint64_t id, SplitMix& random) { file(id).fail_sync(random); }

bool MemoryDisk::is_inside(std::uint64_t directory, std::uint64_t ancestor) const {
  if (directory == ancestor) return true;
  return std::ranges::any_of(names_.seen().names(ancestor), [&](const auto& entry) {
    return entry.second.is_directory && is_inside(directory, entry.second.id);
  });
}

Result<void> MemoryDisk::rename(std::string_view from, std::string_view to) {
  TRY(const Place source, locate(from));
  TRY(const Place target, locate(to));
  if (!source.node) return file_error(ENOENT);
  if (source.node->is_directory && is_inside(target.directory, source.node->id)) return file_error(EINVAL);
  if (target.node == source.node) return protocol::ok();
  if (target.node) {
    if (target.node->is_directory && !source.node->is_directory) return file_error(EISDIR);
    if (!target.node->is_directory && source.node->is_directory) return file_error(ENOTDIR);
    if (target.node->is_directory && !names_.seen().names(target.node->id).empty()) return file_error(ENOTEMPTY);
  }
  names_.change({{source.directory, source.name, std::nullopt}, {target.directory, target.name, source.node}});
  if (target.node && !target.node->is_directory) give_space(target.node->id);
  return protocol::ok();
}

Result<void> MemoryDisk::remove_file(std::string_view path) {
  TRY(const Place place, locate(path));
  if (!place.node) return file_error(ENOENT);
  if (place.node->is_directory) return file_error(EISDIR);
  names_.change({{place.directory, place.name, std::nullopt}});
  give_space(place.node->id);
  return protocol::ok();
}

Result<void> MemoryDisk::make_directory(std::string_view path) {
  TRY(const Place place, locate(path));
  if (place.node) return file_error(EEXIST);
  names_.change({{place.directory, place.name, Node{next_id_++, true}}});
  return protocol::ok();
}

Result<void> MemoryDisk::remove_directory(std::string_view path) {
  TRY(const Place place, locate(path));
  if (!place.node) return file_error(ENOENT);
  if (!place.node->is_directory) return file_error(ENOTDIR);
  if (!names_.seen().names(place.node->id).empty()) return file_error(ENOTEMPTY);
  names_.change({{place.directory, place.name, std::nullopt}});
  return protocol::ok();
}

Result<std::vector<DirectoryEntry>> MemoryDisk::list(std::string_view directory) const {
  TRY(const std::uint64_t id, find_directory(directory));
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, node] : names_.seen().names(id))
    entries.push_back({name, node.is_directory ? FileKind::kDirectory : FileKind::kFile});
  return entries;
}

void MemoryDisk::sync_directory(std::uint64_t directory) {
  names_.sync(directory);
  collect_garbage();
}

void MemoryDisk::sync_names() {
  names_.sync_all();
  collect_garbage();
}

void MemoryDisk::sync_files() {
  for (auto& [id, synced] : files_) synced.sync();
}

void MemoryDisk::fail_sync_all(SplitMix& random) {
  for (auto& [id, failed] : files_) failed.fail_sync(random);
}

void MemoryDisk::give_space(std::uint64_t id) {
  nameless_.insert(id);
  if (holds_.contains(id)) return;
  const SparseBytes& bytes = file(id).seen();
  used_pages_ -= bytes.allocated_pages();
  const std::uint64_t pages = std::min<std::uint64_t>(pages_for(bytes.size()), protocol::kFreedPagesMax);
  for (std::uint64_t index = 0; index < pages; ++index) {
    if (PagePtr page = bytes.page(index)) old_pages_.push_back(std::move(page));
    if (old_pages_.size() > protocol::kFreedPagesMax) old_pages_.pop_front();
  }
}

void MemoryDisk::collect_garbage() {
  // Looking through all names is dear, so only when there may be much to gain.
  if (nameless_.size() < garbage_threshold_) return;
  const std::set<std::uint64_t> needed = names_.needed();
  std::erase_if(nameless_, [&](std::uint64_t id) {
    if (needed.contains(id) || holds_.contains(id)) return false;
    files_.erase(id);
    return true;
  });
  garbage_threshold_ = 64 + 2 * nameless_.size();
}

DiskSpace MemoryDisk::space() const { return {capacity_bytes_, free_pages() * kPageBytes}; }

void MemoryDisk::damage(std::uint64_t id, std::uint64_t at, ByteView bytes) {
  protocol::check(at + bytes.size() <= size(id), "damage is inside the file");
  change_file(id, [&](MemoryFile& changed) { changed.damage(at, bytes); });
}

void MemoryDisk::cut(PowerCut cut) {
  SplitMix random(cut.seed);
  FileCut file_cut{.variant = cut.variant, .torn_sequence = 0, .old_pages = {}};
  const std::vector<PagePtr> old_pages(old_pages_.begin(), old_pages_.end());
  file_cut.old_pages = old_pages;
  if (cut.variant == CutVariant::kTornPage) {
    std::vector<std::uint64_t> sequences;
    for (const auto& [id, cut_file] : files_) cut_file.collect_unsynced(sequences);
    if (!sequences.empty()) file_cut.torn_sequence = sequences[random.below(sequences.size())];
  }
  names_.cut(cut.variant, random);
  for (auto& [id, cut_file] : files_) cut_file.cut(file_cut, random);

  holds_.clear();
  nameless_.clear();
  used_pages_ = 0;
  const std::set<std::uint64_t> needed = names_.needed();
  const std::set<std::uint64_t> reachable = names_.seen().reachable();
  std::erase_if(files_, [&](const auto& entry) { return !needed.contains(entry.first); });
  for (const auto& [id, left] : files_) {
    if (reachable.contains(id))
      used_pages_ += left.seen().allocated_pages();
    else
      nameless_.insert(id);  // after kKeepAll a later cut can bring its name back
  }
}

}  // namespace braid::storage
