#include "protocol/wire/varint.h"

#include <gtest/gtest.h>

#include "protocol/base/hex.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"

namespace braid::protocol {
namespace {

struct ZigzagCase {
  std::int64_t value;
  const char* hex;
};
class Zigzag : public testing::TestWithParam<ZigzagCase> {};

TEST_P(Zigzag, WritesAndReadsTheDocumentedBytes) {
  Bytes out(varlong_size(GetParam().value));
  Writer writer(out);
  writer.varlong(GetParam().value);
  EXPECT_EQ(to_hex(out), GetParam().hex);
  Reader reader(out);
  EXPECT_EQ(reader.varlong(), GetParam().value);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Documented, Zigzag,
                         testing::Values(ZigzagCase{0, "00"}, ZigzagCase{-1, "01"}, ZigzagCase{1, "02"},
                                         ZigzagCase{-64, "7f"}, ZigzagCase{64, "8001"},
                                         ZigzagCase{INT32_MAX, "feffffff0f"}, ZigzagCase{INT32_MIN, "ffffffff0f"},
                                         ZigzagCase{INT64_MAX, "feffffffffffffffff01"},
                                         ZigzagCase{INT64_MIN, "ffffffffffffffffff01"}));

TEST(Varint, ThirtyTwoBitFormsAgreeWithTheLongOnes) {
  for (const std::int32_t value : {0, 1, -1, 63, -65, 8191, -8193, INT32_MAX, INT32_MIN}) {
    Bytes out(varint_size(value));
    Writer(out).varint(value);
    EXPECT_EQ(Reader(out).varint(), value);
    EXPECT_EQ(varint_size(value), varlong_size(value));
  }
}

TEST(Varint, SizeGrowsAtEachSeventhBit) {
  EXPECT_EQ(unsigned_varint_size(0), 1U);
  for (unsigned bits = 1; bits <= 32; ++bits) {
    const std::uint32_t highest = bits == 32 ? UINT32_MAX : (1U << bits) - 1;
    EXPECT_EQ(unsigned_varint_size(highest), (bits + 6) / 7) << bits;
  }
  EXPECT_EQ(unsigned_varlong_size(UINT64_MAX), 10U);
}

TEST(Varint, LongerThanItsWidthAllowsFailsTheReader) {
  const Bytes six = *from_hex("808080808001");
  Reader narrow(six);
  EXPECT_EQ(narrow.unsigned_varint(), 0U);
  EXPECT_FALSE(narrow.ok());

  const Bytes eleven = *from_hex("8080808080808080808001");
  Reader wide(eleven);
  EXPECT_EQ(wide.unsigned_varlong(), 0U);
  EXPECT_FALSE(wide.ok());
}

TEST(Varint, BitsBeyondTheWidthAreDropped) {
  const Bytes overlong = *from_hex("ffffffff7f");
  Reader reader(overlong);
  EXPECT_EQ(reader.unsigned_varint(), UINT32_MAX);
  EXPECT_TRUE(reader.ok());
}

TEST(Varint, CutShortFailsTheReader) {
  const Bytes cut = *from_hex("8080");
  Reader reader(cut);
  EXPECT_EQ(reader.unsigned_varint(), 0U);
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace braid::protocol
