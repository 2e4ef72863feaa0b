#include "storage/env/sparse_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace braid::storage {
namespace {

PagePtr page_of(char fill) {
  Page page;
  page.fill(static_cast<std::byte>(fill));
  return std::make_shared<const Page>(page);
}

std::string text(const SparseBytes& bytes, std::uint64_t at, std::size_t size) {
  std::string read(size, '?');
  read.resize(bytes.read(at, std::as_writable_bytes(std::span(read))));
  return read;
}

TEST(SparseBytes, ReadZerosFromHolesAndNothingPastTheEnd) {
  SparseBytes bytes;
  bytes.resize(3 * kPageBytes);
  bytes.set_page(1, page_of('x'));
  EXPECT_EQ(text(bytes, kPageBytes - 1, 3), std::string("\0xx", 3));
  EXPECT_EQ(text(bytes, 3 * kPageBytes - 1, 100), std::string(1, '\0'));
  EXPECT_EQ(text(bytes, 3 * kPageBytes, 1), "");
  EXPECT_EQ(bytes.allocated_pages(), 1U);
}

TEST(SparseBytes, CopiesNeverSeeLaterChanges) {
  SparseBytes bytes;
  bytes.resize(2 * kPageBytes);
  bytes.set_page(0, page_of('a'));
  const SparseBytes copy = bytes;
  bytes.set_page(0, page_of('b'));
  bytes.set_page(1, page_of('c'));
  EXPECT_EQ(text(copy, 0, 1), "a");
  EXPECT_EQ(copy.page(1), nullptr);
  EXPECT_EQ(text(bytes, 0, 1), "b");
}

TEST(SparseBytes, LeaveZerosWhereTheyWereCut) {
  SparseBytes bytes;
  bytes.resize(40 * kPageBytes);
  bytes.set_page(0, page_of('a'));
  bytes.set_page(39, page_of('z'));
  bytes.resize(10);
  EXPECT_EQ(bytes.allocated_pages(), 1U);
  bytes.resize(40 * kPageBytes);
  EXPECT_EQ(text(bytes, 8, 4), std::string("aa\0\0", 4));
  EXPECT_EQ(text(bytes, 39 * kPageBytes, 1), std::string(1, '\0'));
}

TEST(SparseBytes, TellAllocatedFromWritten) {
  SparseBytes bytes;
  bytes.resize(2 * kPageBytes);
  bytes.set_page(0, unwritten_page());
  bytes.set_page(1, page_of('\0'));
  EXPECT_EQ(bytes.allocated_pages(), 2U);
  bytes.drop_unwritten();
  EXPECT_EQ(bytes.allocated_pages(), 1U);
  EXPECT_EQ(bytes.page(0), nullptr);
  EXPECT_NE(bytes.page(1), nullptr);
}

}  // namespace
}  // namespace braid::storage
