#include "storage/env/sparse_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace braid::storage {

const PagePtr& unwritten_page() {
  static const PagePtr page = std::make_shared<const Page>();
  return page;
}

std::size_t SparseBytes::read(std::uint64_t at, protocol::MutableBytes into) const {
  if (at >= size_bytes_) return 0;
  const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_bytes_ - at));
  std::size_t done = 0;
  while (done < wanted) {
    const std::size_t in_page = (at + done) % kPageBytes;
    const std::size_t part = std::min(wanted - done, kPageBytes - in_page);
    const PagePtr source = page((at + done) / kPageBytes);
    if (source == nullptr)
      std::memset(into.data() + done, 0, part);
    else
      std::memcpy(into.data() + done, source->data() + in_page, part);
    done += part;
  }
  return done;
}

PagePtr SparseBytes::page(std::uint64_t index) const {
  const std::size_t group = static_cast<std::size_t>(index / kGroupPages);
  if (group >= groups_.size() || groups_[group] == nullptr) return nullptr;
  return (*groups_[group])[index % kGroupPages];
}

void SparseBytes::set_page(std::uint64_t index, PagePtr page) {
  const std::size_t group = static_cast<std::size_t>(index / kGroupPages);
  if (group >= groups_.size()) {
    if (page == nullptr) return;
    groups_.resize(group + 1);
  }
  // Always a new group: whether a copy shares the old one can't be asked without a race.
  auto changed = groups_[group] == nullptr ? std::make_shared<Group>() : std::make_shared<Group>(*groups_[group]);
  PagePtr& slot = (*changed)[index % kGroupPages];
  if (slot == nullptr && page != nullptr) ++allocated_pages_;
  if (slot != nullptr && page == nullptr) --allocated_pages_;
  slot = std::move(page);
  groups_[group] = std::move(changed);
}

void SparseBytes::resize(std::uint64_t size_bytes) {
  size_bytes_ = size_bytes;
  const std::uint64_t pages = (size_bytes + kPageBytes - 1) / kPageBytes;
  for (std::uint64_t index = pages; index < groups_.size() * kGroupPages; ++index)
    if (page(index) != nullptr) set_page(index, nullptr);
  groups_.resize(std::min<std::size_t>(groups_.size(), (pages + kGroupPages - 1) / kGroupPages));

  const std::size_t in_last = size_bytes % kPageBytes;
  const PagePtr last = in_last == 0 ? nullptr : page(pages - 1);
  if (last == nullptr || last == unwritten_page()) return;
  auto cut = std::make_shared<Page>(*last);
  std::fill(cut->begin() + static_cast<std::ptrdiff_t>(in_last), cut->end(), std::byte{0});
  set_page(pages - 1, std::move(cut));
}

void SparseBytes::drop_unwritten() {
  for (std::uint64_t index = 0; index < groups_.size() * kGroupPages; ++index)
    if (page(index) == unwritten_page()) set_page(index, nullptr);
}

}  // namespace braid::storage
