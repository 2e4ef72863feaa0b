#include "protocol/wire/frame.h"

#include <gtest/gtest.h>

#include "protocol/base/hex.h"

namespace braid::protocol {
namespace {

constexpr std::int32_t kBytesMax = 100;

TEST(Frame, AsksForThePrefixAndThenForTheBody) {
  const Bytes whole = *from_hex("00000003 aabbcc");
  for (std::size_t have = 0; have < whole.size(); ++have) {
    const Split split = split_frame(ByteView(whole).first(have), kBytesMax);
    const auto* more = std::get_if<NeedMore>(&split);
    ASSERT_NE(more, nullptr) << have;
    EXPECT_EQ(more->missing_bytes, have < 4 ? 4 - have : 7 - have) << have;
  }
}

TEST(Frame, IsTheFirstOfSeveral) {
  const Bytes two = *from_hex("00000001 aa 00000002 bbcc");
  const Split split = split_frame(two, kBytesMax);
  const auto* frame = std::get_if<Frame>(&split);
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(to_hex(frame->body), "aa");
  EXPECT_EQ(frame->consumed_bytes, 5U);
}

TEST(Frame, MayBeEmpty) {
  const Bytes empty = *from_hex("00000000");
  const Split split = split_frame(empty, kBytesMax);
  const auto* frame = std::get_if<Frame>(&split);
  ASSERT_NE(frame, nullptr);
  EXPECT_TRUE(frame->body.empty());
  EXPECT_EQ(frame->consumed_bytes, 4U);
}

struct BadCase {
  const char* name;
  const char* hex;
  std::int32_t claimed_bytes;
};
class BadFrames : public testing::TestWithParam<BadCase> {};

TEST_P(BadFrames, AreRefusedByTheirPrefixAlone) {
  const Bytes bytes = *from_hex(GetParam().hex);
  const Split split = split_frame(bytes, kBytesMax);
  const auto* bad = std::get_if<BadFrame>(&split);
  ASSERT_NE(bad, nullptr);
  EXPECT_EQ(bad->claimed_bytes, GetParam().claimed_bytes);
}

INSTANTIATE_TEST_SUITE_P(Lengths, BadFrames,
                         testing::Values(BadCase{"minus_one", "ffffffff", -1}, BadCase{"lowest", "80000000", INT32_MIN},
                                         BadCase{"highest", "7fffffff", INT32_MAX},
                                         BadCase{"one_above_the_bound", "00000065", 101}),
                         [](const auto& tested) { return tested.param.name; });

TEST(Frame, OfExactlyTheBoundIsWanted) {
  const Split split = split_frame(*from_hex("00000064"), kBytesMax);
  EXPECT_TRUE(std::holds_alternative<NeedMore>(split));
}

TEST(ForeignProtocol, IsToldFromTheFirstFourBytes) {
  EXPECT_EQ(guess_foreign_protocol(1195725856), ForeignProtocol::kHttp);  // "GET "
  EXPECT_EQ(guess_foreign_protocol(1213486160), ForeignProtocol::kHttp);  // "HTTP"
  EXPECT_EQ(guess_foreign_protocol(369295616), ForeignProtocol::kTls);    // 16 03 01 00
  EXPECT_EQ(guess_foreign_protocol(369296129), ForeignProtocol::kTls);    // 16 03 03 01
  EXPECT_EQ(guess_foreign_protocol(-1), ForeignProtocol::kNone);
  EXPECT_EQ(guess_foreign_protocol(200'000'000), ForeignProtocol::kNone);
}

}  // namespace
}  // namespace braid::protocol
