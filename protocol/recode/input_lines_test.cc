#include "protocol/recode/input_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace braid::protocol {
namespace {

/// The lines of `text` when it arrives in pieces of at most `piece_bytes`; "(too long)" for one above `bytes_max`.
std::vector<std::string> lines_of(std::string text, std::size_t piece_bytes, std::size_t bytes_max = 100) {
  std::size_t at = 0;
  InputLines lines(
      [&](std::span<char> buffer) -> std::optional<std::size_t> {
        const std::size_t count = std::min({buffer.size(), piece_bytes, text.size() - at});
        std::copy_n(text.data() + at, count, buffer.data());
        at += count;
        return count;
      },
      bytes_max);
  std::vector<std::string> found;
  while (const auto line = lines.next()) found.emplace_back(line->too_long ? "(too long)" : line->text);
  return found;
}

TEST(InputLines, AreTheSameHoweverTheBytesArrive) {
  const std::vector<std::string> expected = {"one", "", "three"};
  for (const std::size_t piece_bytes : {1U, 2U, 3U, 5U, 1000U}) {
    EXPECT_EQ(lines_of("one\n\nthree\n", piece_bytes), expected) << piece_bytes;
    EXPECT_EQ(lines_of("one\n\nthree", piece_bytes), expected) << piece_bytes << ", without the last newline";
  }
  EXPECT_TRUE(lines_of("", 1).empty());
}

TEST(InputLines, ALineAboveTheBoundIsReportedAndTheNextOneIsRead) {
  for (const std::size_t piece_bytes : {1U, 4U, 1000U}) {
    EXPECT_EQ(lines_of("12345\n123456\n12\n1234567", piece_bytes, 5),
              (std::vector<std::string>{"12345", "(too long)", "12", "(too long)"}))
        << piece_bytes;
  }
}

TEST(InputLines, AreNotTakenForWholeWhenTheSourceFails) {
  int calls = 0;
  InputLines lines(
      [&](std::span<char> buffer) -> std::optional<std::size_t> {
        if (++calls > 1) return std::nullopt;
        const std::string_view text = "one\ntw";
        std::ranges::copy(text, buffer.begin());
        return text.size();
      },
      100);
  const auto first = lines.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->text, "one");
  EXPECT_FALSE(lines.failed());
  EXPECT_FALSE(lines.next());
  EXPECT_TRUE(lines.failed());
}

}  // namespace
}  // namespace braid::protocol
