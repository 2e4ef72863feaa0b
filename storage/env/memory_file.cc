#include "storage/env/memory_file.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "protocol/base/limits.h"
#include "storage/env/aligned_buffer.h"

namespace braid::storage {
namespace {

constexpr std::size_t kSectors = kPageBytes / kSectorBytes;
constexpr FileCut kEverything{.variant = CutVariant::kNamesLost, .torn_sequence = 0, .old_pages = {}};

std::uint64_t pages_for(std::uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

/// `before` with `bytes` over it from `at` on.
PagePtr patched(const PagePtr& before, std::size_t at, protocol::ByteView bytes) {
  auto page = before == nullptr ? std::make_shared<Page>() : std::make_shared<Page>(*before);
  std::memcpy(page->data() + at, bytes.data(), bytes.size());
  return page;
}

/// Calls put(page index, new page) for each page of `file` that `bytes` at `at` change.
template <class Put>
void for_pages(const SparseBytes& file, std::uint64_t at, protocol::ByteView bytes, Put put) {
  while (!bytes.empty()) {
    const std::uint64_t index = at / kPageBytes;
    const std::size_t in_page = at % kPageBytes;
    const std::size_t part = std::min(bytes.size(), kPageBytes - in_page);
    put(index, patched(file.page(index), in_page, bytes.first(part)));
    at += part;
    bytes = bytes.subspan(part);
  }
}

/// Some sectors of `after` over `before`: of those that differ at least one is new and one is old where there are two.
PagePtr torn(const PagePtr& before, const PagePtr& after, SplitMix& random) {
  const PagePtr& old = before == nullptr ? unwritten_page() : before;
  std::vector<std::size_t> differing;
  for (std::size_t at = 0; at < kPageBytes; at += kSectorBytes)
    if (std::memcmp(old->data() + at, after->data() + at, kSectorBytes) != 0) differing.push_back(at);
  if (differing.size() < 2) return random.chance(1, 2) ? before : after;

  const std::uint64_t all = (std::uint64_t{1} << differing.size()) - 1;
  const std::uint64_t chosen = 1 + random.below(all - 1);  // neither none nor all
  auto page = std::make_shared<Page>(*old);
  for (std::size_t i = 0; i < differing.size(); ++i)
    if ((chosen >> i & 1) != 0) std::memcpy(page->data() + differing[i], after->data() + differing[i], kSectorBytes);
  return page;
}
static_assert(kSectors < 64);

}  // namespace

void MemoryFile::note(Change change) {
  unsynced_.push_back(std::move(change));
  if (unsynced_.size() <= protocol::kUnsyncedWritesMax) return;
  std::deque<Change> later;
  const auto middle = unsynced_.begin() + static_cast<std::ptrdiff_t>(unsynced_.size() / 2);
  std::move(middle, unsynced_.end(), std::back_inserter(later));
  unsynced_.erase(middle, unsynced_.end());
  sync();
  unsynced_ = std::move(later);
}

void MemoryFile::write(std::uint64_t at, protocol::ByteView bytes, std::uint64_t& sequence) {
  if (bytes.empty()) return;
  if (at + bytes.size() > seen_.size()) resize(at + bytes.size(), sequence);
  for_pages(seen_, at, bytes, [&](std::uint64_t index, PagePtr page) {
    seen_.set_page(index, page);
    note({sequence++, index, std::move(page), std::nullopt});
  });
}

void MemoryFile::resize(std::uint64_t size_bytes, std::uint64_t& sequence) {
  seen_.resize(size_bytes);
  note({sequence++, 0, nullptr, size_bytes});
}

void MemoryFile::allocate(std::uint64_t begin_page, std::uint64_t end_page, std::uint64_t& sequence) {
  for (std::uint64_t index = begin_page; index < end_page; ++index) {
    if (seen_.page(index) != nullptr) continue;
    seen_.set_page(index, unwritten_page());
    note({sequence++, index, unwritten_page(), std::nullopt});
  }
}

void MemoryFile::sync() {
  if (unsynced_.empty()) return;
  SplitMix unused(0);
  replay_onto_disk(kEverything, unused);
}

void MemoryFile::fail_sync(SplitMix& random) {
  replay_onto_disk({.variant = CutVariant::kRandomPages, .torn_sequence = 0, .old_pages = {}}, random);
}

void MemoryFile::collect_unsynced(std::vector<std::uint64_t>& sequences) const {
  for (const Change& change : unsynced_)
    if (!change.size_bytes) sequences.push_back(change.sequence);
}

void MemoryFile::cut(const FileCut& cut, SplitMix& random) {
  if (cut.variant == CutVariant::kKeepAll) return;
  replay_onto_disk(cut, random);
  if (cut.variant == CutVariant::kAllocationLost) on_disk_.drop_unwritten();
  seen_ = on_disk_;
}

void MemoryFile::damage(std::uint64_t at, protocol::ByteView bytes) {
  for (SparseBytes* const file : {&seen_, &on_disk_})
    for_pages(*file, at, bytes, [&](std::uint64_t index, PagePtr page) { file->set_page(index, std::move(page)); });
}

void MemoryFile::replay_onto_disk(const FileCut& cut, SplitMix& random) {
  const std::uint64_t old_pages_end = pages_for(on_disk_.size());
  const std::size_t kept_in_order =
      cut.variant == CutVariant::kReorderedFiles ? random.below(unsynced_.size() + 1) : unsynced_.size();
  bool sizes_lost = false;
  // Pages written after a cut of the file that was lost belong to blocks that the file never got.
  std::uint64_t lost_from_page = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t size_before = on_disk_.size();

  for (std::size_t i = 0; i < kept_in_order; ++i) {
    const Change& change = unsynced_[i];
    if (change.size_bytes) {
      // Sizes are metadata: a journal keeps their order, so after one that is lost none survives.
      const bool lost = cut.variant == CutVariant::kDropUnsynced || cut.variant == CutVariant::kAllocationLost ||
                        (cut.variant == CutVariant::kRandomPages && random.chance(1, 4)) ||
                        (cut.variant == CutVariant::kTornPage && change.sequence > cut.torn_sequence);
      sizes_lost = sizes_lost || lost;
      if (!sizes_lost)
        on_disk_.resize(*change.size_bytes);
      else if (*change.size_bytes < size_before)
        lost_from_page = std::min(lost_from_page, *change.size_bytes / kPageBytes);
      size_before = *change.size_bytes;
    } else if (change.page_index < lost_from_page) {
      if (auto page = surviving_page(change, cut, old_pages_end, random)) on_disk_.set_page(change.page_index, *page);
    }
  }
  on_disk_.resize(on_disk_.size());  // nothing behind the end
  unsynced_.clear();
}

std::optional<PagePtr> MemoryFile::surviving_page(const Change& change, const FileCut& cut, std::uint64_t old_pages_end,
                                                  SplitMix& random) const {
  switch (cut.variant) {
    case CutVariant::kDropUnsynced:
    case CutVariant::kAllocationLost:
      return std::nullopt;
    case CutVariant::kKeepAll:
    case CutVariant::kReorderedFiles:
    case CutVariant::kNamesLost:
      return change.page;
    case CutVariant::kRandomPages:
      if (random.chance(1, 2)) return change.page;
      return std::nullopt;
    case CutVariant::kTornPage:
      if (change.sequence > cut.torn_sequence) return std::nullopt;
      if (change.sequence < cut.torn_sequence) return change.page;
      return torn(on_disk_.page(change.page_index), change.page, random);
    case CutVariant::kLengthWithoutBytes:
      if (change.page_index < old_pages_end) return change.page;
      if (cut.old_pages.empty() || random.chance(1, 2)) return unwritten_page();
      return cut.old_pages[random.below(cut.old_pages.size())];
  }
  return std::nullopt;
}

}  // namespace braid::storage
