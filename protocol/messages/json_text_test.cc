#include "protocol/messages/json_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace braid::protocol {
namespace {

template <class Value>
std::string json_of(const Value& value) {
  std::string text;
  JsonText(text).value(value);
  return text;
}

TEST(JsonText, NestsWithCommasBetween) {
  std::string text;
  JsonText out(text);
  out.begin_object();
  out.key("a");
  out.begin_array();
  out.value(1);
  out.begin_object();
  out.end_object();
  out.null();
  out.end_array();
  out.key("b");
  out.value(true);
  out.end_object();
  EXPECT_EQ(text, R"({"a":[1,{},null],"b":true})");
}

TEST(JsonText, EscapesText) {
  EXPECT_EQ(json_of(std::string_view("a\"\\\n\x01")), R"("a\"\\\u000a\u0001")");
  EXPECT_EQ(json_of(std::string_view("\0", 1)), R"("\u0000")");
  EXPECT_EQ(json_of(std::string_view("ä€😀")), "\"ä€😀\"");
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
  const std::string replaced = "\"\xEF\xBF\xBD\"";
  EXPECT_EQ(json_of(std::string_view("\xff")), replaced);
  EXPECT_EQ(json_of(std::string_view("\xc3")), replaced) << "cut short";
  EXPECT_EQ(json_of(std::string_view("\xc0\x80")), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"") << "overlong";
  EXPECT_EQ(json_of(std::string_view("\xed\xa0\x80")).size(), 2U + 9U) << "surrogate";
  EXPECT_EQ(json_of(std::string_view("\xf5\x80\x80\x80")).size(), 2U + 12U) << "above U+10FFFF";
}

TEST(JsonText, PrintsNumbersThatReadBackTheSame) {
  EXPECT_EQ(json_of(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(json_of(std::uint16_t{65535}), "65535");
  EXPECT_EQ(json_of(0.1), "0.1");
  EXPECT_EQ(json_of(-0.0), "-0.0");
  EXPECT_EQ(json_of(3.0), "3.0");
  EXPECT_EQ(json_of(1e300), "1e+300");
  EXPECT_EQ(json_of(std::numeric_limits<double>::quiet_NaN()), R"("NaN")");
  EXPECT_EQ(json_of(-std::numeric_limits<double>::infinity()), R"("-Infinity")");
}

TEST(JsonText, PrintsIdsAndBytes) {
  Uuid uuid;
  uuid.bytes[7] = 1;
  uuid.bytes[15] = 2;
  EXPECT_EQ(json_of(uuid), R"("AAAAAAAAAAEAAAAAAAAAAg")");
  const Bytes bytes = {std::byte{0xab}, std::byte{1}};
  EXPECT_EQ(json_of(ByteView(bytes)), R"("ab01")");
  EXPECT_EQ(json_of(ErrorCode::kNotLeaderOrFollower), "6");
}

}  // namespace
}  // namespace braid::protocol
