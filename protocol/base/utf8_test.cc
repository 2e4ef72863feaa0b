#include "protocol/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace braid::protocol {
namespace {

struct SequenceCase {
  const char* name;
  std::string_view text;
  std::size_t bytes;  // of the sequence at its begin
};
class Utf8Sequence : public testing::TestWithParam<SequenceCase> {};

TEST_P(Utf8Sequence, IsAsLongAsTheStandardSays) {
  EXPECT_EQ(utf8_sequence_bytes(GetParam().text), GetParam().bytes);
  EXPECT_EQ(is_utf8(GetParam().text), GetParam().bytes == GetParam().text.size());
}

INSTANTIATE_TEST_SUITE_P(
    Edges, Utf8Sequence,
    testing::Values(
        SequenceCase{"empty", "", 0}, SequenceCase{"nul", std::string_view("\0", 1), 1},
        SequenceCase{"last_of_one", "\x7F", 1}, SequenceCase{"continuation_alone", "\x80", 0},
        SequenceCase{"overlong_two", "\xC1\xBF", 0}, SequenceCase{"first_of_two", "\xC2\x80", 2},
        SequenceCase{"last_of_two", "\xDF\xBF", 2}, SequenceCase{"overlong_three", "\xE0\x9F\xBF", 0},
        SequenceCase{"first_of_three", "\xE0\xA0\x80", 3}, SequenceCase{"last_before_surrogates", "\xED\x9F\xBF", 3},
        SequenceCase{"first_surrogate", "\xED\xA0\x80", 0}, SequenceCase{"last_surrogate", "\xED\xBF\xBF", 0},
        SequenceCase{"first_after_surrogates", "\xEE\x80\x80", 3}, SequenceCase{"overlong_four", "\xF0\x8F\xBF\xBF", 0},
        SequenceCase{"first_of_four", "\xF0\x90\x80\x80", 4}, SequenceCase{"last_of_all", "\xF4\x8F\xBF\xBF", 4},
        SequenceCase{"above_the_last", "\xF4\x90\x80\x80", 0},
        SequenceCase{"lead_that_none_has", "\xF5\x80\x80\x80", 0}, SequenceCase{"cut", "\xE2\x82", 0},
        SequenceCase{"broken_off", "\xE2\x82z", 0}),
    [](const auto& given) { return given.param.name; });

TEST(Utf8, OfAWholeTextIsFoundWrongAtAnyPlace) {
  const std::string good = "a\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9E";
  EXPECT_TRUE(is_utf8(good));
  for (std::size_t at = 0; at <= good.size(); ++at) {
    std::string bad = good;
    bad.insert(at, 1, '\xFF');
    EXPECT_FALSE(is_utf8(bad)) << at;
  }
}

TEST(Utf8, IsWrittenAsItIsRead) {
  for (const char32_t code_point :
       {0x00U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    std::string text;
    append_utf8(code_point, text);
    EXPECT_EQ(utf8_sequence_bytes(text), text.size()) << static_cast<unsigned>(code_point);
  }
  std::string text;
  for (const char32_t code_point : {U'a', U'\u00E4', U'\u20AC', U'\U0001D11E'}) append_utf8(code_point, text);
  EXPECT_EQ(text, "a\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9E");
}

}  // namespace
}  // namespace braid::protocol
