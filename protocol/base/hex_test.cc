#include "protocol/base/hex.h"

#include <gtest/gtest.h>

namespace braid::protocol {
namespace {

TEST(Hex, WritesTwoLowerCaseDigitsAByte) { EXPECT_EQ(to_hex(as_bytes("\x01\xab\xff")), "01abff"); }

TEST(Hex, ReadsEitherCaseAndSkipsSpaces) {
  const auto bytes = from_hex("01 AB\nff");
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(to_hex(*bytes), "01abff");
}

TEST(Hex, RefusesOddDigitsAndOtherCharacters) {
  for (const char* bad : {"0", "0 1", "0g", "zz", "01:02"}) {
    const auto bytes = from_hex(bad);
    ASSERT_TRUE(bytes.has_error()) << bad;
    EXPECT_EQ(bytes.error(), make_error_code(Errc::not_hex)) << bad;
  }
}

}  // namespace
}  // namespace braid::protocol
