#include "broker/config/properties.h"

#include <gtest/gtest.h>

namespace braid::broker {
namespace {

struct LineCase {
  const char* name;
  std::string_view text;
  std::string_view key;
  std::string_view value;
};
class PropertiesLine : public testing::TestWithParam<LineCase> {};

TEST_P(PropertiesLine, IsReadAsJavaReadsIt) {
  const PropertiesText read = parse_properties(GetParam().text);
  ASSERT_FALSE(read.fault);
  ASSERT_EQ(read.properties.size(), 1U);
  EXPECT_EQ(read.properties[0].key, GetParam().key);
  EXPECT_EQ(read.properties[0].value, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, PropertiesLine,
    testing::Values(
        LineCase{"equals", "a.b=c", "a.b", "c"}, LineCase{"colon", "a:b", "a", "b"}, LineCase{"blank", "a b", "a", "b"},
        LineCase{"blanks_around_equals", "  a \t= \f b", "a", "b"}, LineCase{"only_one_separator", "a==b", "a", "=b"},
        LineCase{"separator_in_value", "listeners=PLAINTEXT://:9092", "listeners", "PLAINTEXT://:9092"},
        LineCase{"no_value", "a", "a", ""}, LineCase{"empty_value", "a=", "a", ""}, LineCase{"no_key", "=b", "", "b"},
        LineCase{"trailing_blanks_stay", "a=b  ", "a", "b  "},
        LineCase{"escaped_separators_in_key", "a\\ b\\=c\\:d=e", "a b=c:d", "e"},
        LineCase{"letters", "a=\\t\\n\\r\\f\\\\\\q", "a", "\t\n\r\f\\q"},
        LineCase{"continued", "a=b\\\n   c", "a", "bc"}, LineCase{"continued_crlf", "a=b\\\r\n\tc", "a", "bc"},
        LineCase{"continued_into_comment_sign", "a=b\\\n#c", "a", "b#c"},
        LineCase{"continued_at_end", "a=b\\", "a", "b"},
        LineCase{"even_backslashes_do_not_continue", "a=b\\\\\n#", "a", "b\\"},
        LineCase{"unicode_escape", "a=\\u00e9\\u20AC", "a", "\xC3\xA9\xE2\x82\xAC"},
        LineCase{"unicode_pair", "a=\\ud83d\\ude00", "a", "\xF0\x9F\x98\x80"},
        LineCase{"utf8", "a=\xC3\xA9", "a", "\xC3\xA9"}, LineCase{"latin1", "a=\xE9", "a", "\xC3\xA9"},
        LineCase{"byte_order_mark",
                 "\xEF\xBB\xBF"
                 "a=b",
                 "a", "b"},
        LineCase{"hash_in_value", "a=b # c", "a", "b # c"}, LineCase{"carriage_return", "a=b\r!c", "a", "b"}),
    [](const auto& given) { return given.param.name; });

TEST(Properties, KeepTheOrderAndTheLinesOfTheFile) {
  const PropertiesText read = parse_properties("# head\n\na=1\n  ! note\nb=2\\\n 3\na=4\n");
  ASSERT_EQ(read.properties.size(), 3U);
  EXPECT_EQ(read.properties[0].line, 3U);
  EXPECT_EQ(read.properties[1].value, "23");
  EXPECT_EQ(read.properties[1].line, 5U);
  EXPECT_EQ(read.properties[2].value, "4");
  EXPECT_EQ(read.properties[2].line, 7U);
}

TEST(Properties, AreEmptyForAnEmptyFileAndForComments) {
  for (const std::string_view text : {"", "\n\r\n \t", "#a=b", "\\\n", "  "}) {
    const PropertiesText read = parse_properties(text);
    EXPECT_FALSE(read.fault);
    EXPECT_TRUE(read.properties.empty()) << text;
  }
}

TEST(Properties, NameTheLineOfAMalformedEscape) {
  for (const std::string_view value :
       {"\\u12", "\\uwxyz", "\\ud83d", "\\ud83dxude00", "\\ud83d\\u0041", "\\ude00", "\\u0000"}) {
    const PropertiesText read = parse_properties("a=b\nc=" + std::string(value));
    ASSERT_TRUE(read.fault) << value;
    EXPECT_EQ(read.fault->line, 2U) << value;
    EXPECT_EQ(read.properties.size(), 1U) << value;
  }
}

TEST(Properties, RefuseANulAndNameItsLine) {
  const auto text = [](const auto& bytes) { return std::string_view(bytes, sizeof(bytes) - 1); };
  struct NulCase {
    std::string_view text;
    std::size_t line;
  };
  for (const NulCase& given :
       {NulCase{text("a=1\nb=2\r\nc=\0"), 3}, NulCase{text("\0"), 1}, NulCase{text("#\0\na=1"), 1},
        NulCase{text("a=1\n\n\0=1\n"), 3}, NulCase{text("\xFF\xFE#\0\n\0a\0=\0001\0"), 1},
        NulCase{text("\0#\0\n\0a\0=\0001"), 1}}) {
    const PropertiesText read = parse_properties(given.text);
    ASSERT_TRUE(read.fault);
    EXPECT_EQ(read.fault->line, given.line);
    EXPECT_NE(read.fault->reason.find("NUL"), std::string::npos);
    EXPECT_TRUE(read.properties.empty());
  }
}

TEST(Properties, TakeBrokenUtf8AsLatin1) {
  // Overlong slash, a surrogate, above U+10FFFF, cut short: none is UTF-8, so every byte is a character.
  for (const std::string_view bytes : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    const PropertiesText read = parse_properties("a=" + std::string(bytes));
    ASSERT_EQ(read.properties.size(), 1U);
    EXPECT_EQ(read.properties[0].value.size(), bytes.size() * 2);
  }
}

}  // namespace
}  // namespace braid::broker
