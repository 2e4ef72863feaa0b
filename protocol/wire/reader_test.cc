#include "protocol/wire/reader.h"

#include <gtest/gtest.h>

#include "protocol/base/hex.h"

namespace braid::protocol {
namespace {

TEST(Reader, ReadsBigEndianFieldsInARow) {
  const Bytes bytes = *from_hex("ff 01 fffe 8000 fffffffd 80000000 fffffffffffffffc 3ff8000000000000 02 00");
  Reader reader(bytes);
  EXPECT_EQ(reader.i8(), -1);
  EXPECT_EQ(reader.u8(), 1);
  EXPECT_EQ(reader.i16(), -2);
  EXPECT_EQ(reader.u16(), 0x8000);
  EXPECT_EQ(reader.i32(), -3);
  EXPECT_EQ(reader.u32(), 0x80000000);
  EXPECT_EQ(reader.i64(), -4);
  EXPECT_EQ(reader.f64(), 1.5);
  EXPECT_TRUE(reader.boolean());
  EXPECT_FALSE(reader.boolean());
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0U);
}

TEST(Reader, YieldsZerosFromTheFirstShortReadOn) {
  const Bytes bytes = *from_hex("01 02 03");
  Reader reader(bytes);
  EXPECT_EQ(reader.i32(), 0);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.i8(), 0) << "what is left must not be read as something else";
  EXPECT_EQ(reader.remaining(), 0U);
}

TEST(Reader, HandsOutBytesWithoutCopying) {
  const Bytes bytes = *from_hex("01 02 03");
  Reader reader(bytes);
  reader.skip(1);
  EXPECT_EQ(reader.bytes(2).data(), bytes.data() + 1);
  EXPECT_TRUE(reader.bytes(0).empty());
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.bytes(1).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(Reader, RefusesACountBeyondAnyMemory) {
  const Bytes bytes = *from_hex("01");
  Reader reader(bytes);
  EXPECT_TRUE(reader.bytes(SIZE_MAX).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(Reader, ReadsAUuidOrNothingOfIt) {
  const Bytes bytes = *from_hex("0000000000000001 0000000000000002 00");
  Reader reader(bytes);
  EXPECT_EQ(reader.uuid(), uuid_from_halves(1, 2));
  EXPECT_TRUE(reader.uuid().unset());
  EXPECT_FALSE(reader.ok());
}

TEST(Reader, StaysFailedOnceToldSo) {
  const Bytes bytes = *from_hex("0102");
  Reader reader(bytes);
  reader.fail();
  EXPECT_EQ(reader.i8(), 0);
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace braid::protocol
