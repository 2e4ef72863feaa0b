#include "broker/observe/log_fields.h"

#include <gtest/gtest.h>

#include <vector>

namespace braid::broker {
namespace {

const std::vector<LogField> kFields = {{"peer", "[::1]:9"}, {"reason", "a \"b\"=\n"}, {"empty", ""}};

TEST(LogFields, AreWordsForPeople) {
  EXPECT_EQ(render_fields(LogFormat::kText, "net", "closed it", kFields),
            R"(net: closed it peer=[::1]:9 reason="a \"b\"=\\x0a" empty="")");
}

TEST(LogFields, ArePairsForCollectors) {
  EXPECT_EQ(render_fields(LogFormat::kLogfmt, "net", "closed it", kFields),
            R"(component=net message="closed it" peer=[::1]:9 reason="a \"b\"=\\x0a" empty="")");
}

TEST(LogFields, AreMembersOfAJsonObject) {
  EXPECT_EQ(render_fields(LogFormat::kJson, "net", "closed it", kFields),
            R"("component":"net","message":"closed it","peer":"[::1]:9","reason":"a \"b\"=\\x0a","empty":"")");
}

TEST(LogFields, ShowBytesThatAreNoTextAsDigits) {
  const std::vector<LogField> fields = {{"id",
                                         "\xFF"
                                         "a"},
                                        {"name", "\xC3\xA9"}};
  EXPECT_EQ(render_fields(LogFormat::kText, "net", "m", fields), "net: m id=\"\\\\xffa\" name=\xC3\xA9");
}

TEST(LogFormats, AreReadByName) {
  EXPECT_EQ(parse_log_format("json"), LogFormat::kJson);
  EXPECT_EQ(parse_log_format("logfmt"), LogFormat::kLogfmt);
  EXPECT_EQ(parse_log_format("text"), LogFormat::kText);
  EXPECT_EQ(parse_log_format("xml"), std::nullopt);
}

}  // namespace
}  // namespace braid::broker
