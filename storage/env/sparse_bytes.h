#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "protocol/base/bytes.h"

namespace braid::storage {

inline constexpr std::size_t kPageBytes = 4096;

using Page = std::array<std::byte, kPageBytes>;
/// Never changes once it is in use, so copies of a file share it; null is a hole.
using PagePtr = std::shared_ptr<const Page>;

/// The page of space that is allocated but was never written: reads as zeros, told from a hole by its address.
const PagePtr& unwritten_page();

/// The bytes of one file as shared pages: copying is cheap, and a copy never sees later changes. A value; one thread
/// at a time.
class SparseBytes {
 public:
  std::uint64_t size() const { return size_bytes_; }
  /// Pages that are no holes.
  std::uint64_t allocated_pages() const { return allocated_pages_; }

  /// Copies what there is from `at` on; returns the bytes copied, fewer than asked at the end only.
  std::size_t read(std::uint64_t at, protocol::MutableBytes into) const;

  /// Null for a hole and past the end.
  PagePtr page(std::uint64_t index) const;
  /// Puts a page, which may lie past size(): it shows when the size grows over it.
  void set_page(std::uint64_t index, PagePtr page);

  /// Cuts, leaving zeros behind the end, or grows by a hole.
  void resize(std::uint64_t size_bytes);

  /// Makes holes of all unwritten pages.
  void drop_unwritten();

 private:
  // Pages in groups, so that a copy of a file copies one pointer a group.
  static constexpr std::size_t kGroupPages = 16;
  using Group = std::array<PagePtr, kGroupPages>;

  std::vector<std::shared_ptr<const Group>> groups_;  // null: all holes
  std::uint64_t size_bytes_ = 0;
  std::uint64_t allocated_pages_ = 0;
};

}  // namespace braid::storage
