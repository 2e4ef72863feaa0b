#include "protocol/base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace braid::protocol {
namespace {

struct CrcCase {
  const char* name;
  std::string bytes;
  std::uint32_t crc;
};

class Crc32c : public testing::TestWithParam<CrcCase> {};

// The examples of RFC 3720, appendix B.4, and the usual check value.
TEST_P(Crc32c, MatchesThePublishedExample) { EXPECT_EQ(crc32c(as_bytes(GetParam().bytes)), GetParam().crc); }

std::string ascending() {
  std::string bytes;
  for (char c = 0; c < 32; ++c) bytes.push_back(c);
  return bytes;
}

INSTANTIATE_TEST_SUITE_P(Published, Crc32c,
                         testing::Values(CrcCase{"empty", "", 0}, CrcCase{"check", "123456789", 0xe3069283},
                                         CrcCase{"zeros", std::string(32, '\0'), 0x8a9136aa},
                                         CrcCase{"ones", std::string(32, '\xff'), 0x62a8ab43},
                                         CrcCase{"ascending", ascending(), 0x46dd794e}),
                         [](const auto& tested) { return tested.param.name; });

TEST(Crc32cInPieces, GoesOnWhereTheEarlierPieceEnded) {
  const std::string whole = "the quick brown fox jumps over the lazy dog, several times over";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const std::uint32_t first = crc32c(as_bytes(whole).first(cut));
    EXPECT_EQ(crc32c(as_bytes(whole).subspan(cut), first), crc32c(as_bytes(whole))) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace braid::protocol
