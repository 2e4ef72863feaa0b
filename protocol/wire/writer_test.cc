#include "protocol/wire/writer.h"

#include <gtest/gtest.h>

#include "protocol/base/hex.h"

namespace braid::protocol {
namespace {

TEST(Writer, WritesBigEndianFieldsInARow) {
  const char* const expected = "ff01fffe8000fffffffd80000000fffffffffffffffc3ff80000000000000100";
  Bytes out(from_hex(expected)->size());
  Writer writer(out);
  writer.i8(-1);
  writer.u8(1);
  writer.i16(-2);
  writer.u16(0x8000);
  writer.i32(-3);
  writer.u32(0x80000000);
  writer.i64(-4);
  writer.f64(1.5);
  writer.boolean(true);
  writer.boolean(false);
  EXPECT_EQ(writer.position(), out.size());
  EXPECT_EQ(to_hex(out), expected);
}

TEST(Writer, CopiesExternalBytesWhenNobodyGathers) {
  Bytes out(3);
  Writer writer(out);
  writer.u8(1);
  writer.external(as_bytes("ab"));
  EXPECT_EQ(to_hex(out), "016162");
}

TEST(Writer, NotesExternalBytesWhereTheyBelong) {
  Bytes out(2);
  std::vector<Hole> holes;
  Writer writer(out, &holes);
  const std::string_view records = "ab";
  writer.u8(1);
  writer.external(as_bytes(records));
  writer.external({});
  writer.u8(2);
  EXPECT_EQ(to_hex(out), "0102");
  ASSERT_EQ(holes.size(), 1U) << "an empty hole is none";
  EXPECT_EQ(holes[0].at, 1U);
  EXPECT_EQ(holes[0].bytes.data(), as_bytes(records).data());
}

TEST(WriterDeathTest, AbortsBeforeItWritesPastTheEnd) {
  Bytes out(3);
  EXPECT_DEATH(Writer(out).i32(1), "past the size");
  EXPECT_DEATH(Writer(out).bytes(as_bytes("four")), "past the size");
}

}  // namespace
}  // namespace braid::protocol
