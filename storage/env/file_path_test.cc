#include "storage/env/file_path.h"

#include <gtest/gtest.h>

#include <string>

namespace braid::storage {
namespace {

using namespace std::string_view_literals;

TEST(FilePath, IsNamesJoinedBySlashes) {
  for (const std::string_view path :
       {"a"sv, "a/b"sv, "shard-0/commitlog/00000000000000000000"sv, "..a"sv, "a..b/..."sv})
    EXPECT_TRUE(is_file_path(path)) << path;
}

TEST(FilePath, NeverLeavesItsRoot) {
  for (const std::string_view path :
       {""sv, "/"sv, "/a"sv, "a/"sv, "a//b"sv, "."sv, ".."sv, "a/.."sv, "../a"sv, "a/./b"sv, "a\0b"sv})
    EXPECT_FALSE(is_file_path(path)) << path;
}

TEST(FilePath, HasNamesOfAtMost255Bytes) {
  EXPECT_TRUE(is_file_path(std::string(255, 'n')));
  EXPECT_FALSE(is_file_path(std::string(256, 'n')));
}

TEST(FilePath, HasABoundAsAWhole) {
  std::string path = "a";
  while (path.size() + 2 <= 4095) path += "/a";
  EXPECT_TRUE(is_file_path(path));
  EXPECT_FALSE(is_file_path(path + "/a"));
}

TEST(FilePath, OfADirectoryMayBeTheRoot) {
  EXPECT_TRUE(is_directory_path(""));
  EXPECT_TRUE(is_directory_path("a/b"));
  EXPECT_FALSE(is_directory_path("/"));
}

TEST(FilePath, SplitsIntoItsNames) {
  EXPECT_TRUE(path_names("").empty());
  EXPECT_EQ(path_names("a"), std::vector<std::string_view>{"a"});
  EXPECT_EQ(path_names("a/bc/d"), (std::vector<std::string_view>{"a", "bc", "d"}));
}

}  // namespace
}  // namespace braid::storage
