// The expected values are Java's: new String(bytes, UTF_8).hashCode(), and RocketMQ's own in fixtures/.
#include "storage/commitlog/tag_hash.h"

#include <gtest/gtest.h>

#include <string>

#include "protocol/base/bytes.h"
#include "protocol/base/hex.h"
#include "storage/commitlog/document_example.h"

namespace braid::storage {
namespace {

TEST(TagHash, IsJavasHashCodeSignExtended) {
  EXPECT_EQ(tag_hash(""), 0);
  EXPECT_EQ(tag_hash("TagA"), 2598919);
  EXPECT_EQ(tag_hash("Aa"), 2112);
  EXPECT_EQ(tag_hash("BB"), 2112);
  EXPECT_EQ(tag_hash("\xC3\xA9"), 233);              // é
  EXPECT_EQ(tag_hash("\xF0\x9F\x98\x80"), 1772899);  // an emoji: two UTF-16 units
  EXPECT_EQ(tag_hash("polygenelubricants"), -2147483648LL);
}

TEST(TagHash, OfRocketMqsMessagesIsInItsUnits) {
  std::size_t tags = 0;
  for (const std::string& line : source_lines("storage/commitlog/fixtures/consume_queue_tags.txt")) {
    const std::size_t begin = line.find("tag \"");
    if (line.starts_with('#') || begin == std::string::npos) continue;
    const std::string tag = line.substr(begin + 5, line.size() - begin - 6);
    const std::size_t code = line.find("code ") + 5;
    EXPECT_EQ(tag_hash(tag), std::stoll(line.substr(code))) << line;
    ++tags;
  }
  EXPECT_EQ(tags, 13U);
}

struct IllFormed {
  const char* hex;
  std::int64_t hash;
};

TEST(TagHash, OfBytesThatAreNotUtf8CountsReplacementCharactersAsJavaDoes) {
  const IllFormed cases[] = {
      {"ff", 65533},             // no lead byte
      {"41ff42", 2094054},       // between letters
      {"c0af", 2097056},         // a longer form of '/': two
      {"e0809f", 65074269},      // a longer form: three
      {"e0a0", 65533},           // ends early: one
      {"eda080", 65533},         // a surrogate: one for all three bytes
      {"edbd", 65533},           // half a surrogate
      {"f09f98", 65533},         // ends early
      {"f4908080", 2017367872},  // above U+10FFFF: four
  };
  for (const IllFormed& given : cases) {
    const auto bytes = protocol::from_hex(given.hex);
    ASSERT_TRUE(bytes.has_value()) << given.hex;
    EXPECT_EQ(tag_hash(protocol::as_text(*bytes)), given.hash) << given.hex;
  }
}

}  // namespace
}  // namespace braid::storage
