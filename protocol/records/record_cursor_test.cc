// The two cursors over the same bytes, whole and in pieces: they must agree on every value and every failure.
#include "protocol/records/record_cursor.h"

#include <gtest/gtest.h>

#include <string>

#include "protocol/base/hex.h"
#include "protocol/base/limits.h"
#include "protocol/records/body_stream.h"
#include "protocol/records/test_batches.h"
#include "protocol/wire/reader.h"

namespace braid::protocol {
namespace {

TEST(RecordCursor, SkipsToTheEndAndNoFurther) {
  const Bytes bytes = *from_hex("010203");
  RecordCursor in(bytes);
  in.skip(3);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.remaining(), 0U);
  EXPECT_EQ(in.position(), 3U);
  in.skip(0);
  EXPECT_TRUE(in.ok());
  in.skip(1);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.u8(), 0);
  EXPECT_EQ(in.remaining(), 0U);
}

/// Every varint that one byte sequence can begin with is read as Reader, the cursor of the wire, reads it.
TEST(RecordCursor, ReadsVarintsAsTheWireDoes) {
  for (const char* hex :
       {"", "00", "01", "7f", "80", "8001", "ff7f", "8080", "808001", "ffffffff0f", "ffffffffff", "ffffffff7f",
        "808080808001", "8000", "ffffffffffffffffff01", "ffffffffffffffffffff01", "80808080808080808000"}) {
    const Bytes bytes = *from_hex(hex);
    {
      RecordCursor in(bytes);
      Reader wire(bytes);
      const std::int32_t value = in.varint();
      const std::int32_t expected = wire.varint();
      EXPECT_EQ(value, in.ok() ? expected : 0) << hex;
      EXPECT_EQ(in.ok(), wire.ok()) << hex;
      EXPECT_EQ(in.remaining(), wire.remaining()) << hex;
    }
    RecordCursor in(bytes);
    Reader wire(bytes);
    const std::int64_t value = in.varlong();
    const std::int64_t expected = wire.varlong();
    EXPECT_EQ(value, in.ok() ? expected : 0) << hex;
    EXPECT_EQ(in.ok(), wire.ok()) << hex;
    EXPECT_EQ(in.remaining(), wire.remaining()) << hex;
  }
}

TEST(StreamCursor, ReadsOverTheBordersOfPiecesWhatTheOtherReadsAtOnce) {
  // Xerial's blocks are pieces; fields of 1 to 10 bytes lie across most of their borders.
  std::string content;
  while (content.size() < 5 * kXerialBlockBytes) {
    content += varint_text(static_cast<std::int64_t>(content.size()) << (content.size() % 48));
  }
  const Bytes packed = pack(Codec::kSnappy, as_bytes(content));
  Decompressor decompressor;
  decompressor.start(Codec::kSnappy, packed, content.size());
  BodyStream body(decompressor);
  StreamCursor in(body, content.size());
  RecordCursor at_once(as_bytes(content));
  while (at_once.remaining() != 0) ASSERT_EQ(in.varlong(), at_once.varlong()) << at_once.position();
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.remaining(), 0U);
  EXPECT_FALSE(body.fetch());
}

TEST(StreamCursor, StopsAtItsLimitThoughTheStreamGoesOn) {
  const Bytes bytes = *from_hex("01020304");
  Decompressor decompressor;
  decompressor.start(Codec::kNone, bytes, bytes.size());
  BodyStream body(decompressor);
  StreamCursor first(body, 2);
  EXPECT_EQ(first.u8(), 1);
  EXPECT_EQ(first.u8(), 2);
  EXPECT_EQ(first.u8(), 0);
  EXPECT_FALSE(first.ok());
  StreamCursor second(body, 2);
  second.skip(3);
  EXPECT_FALSE(second.ok());
  StreamCursor third(body, 2);
  third.skip(2);
  EXPECT_TRUE(third.ok());
  EXPECT_FALSE(body.fetch());
}

}  // namespace
}  // namespace braid::protocol
