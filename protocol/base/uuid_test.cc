#include "protocol/base/uuid.h"

#include <gtest/gtest.h>

namespace braid::protocol {
namespace {

TEST(Uuid, PrintsAsKafkaDoes) {
  EXPECT_EQ(to_text(uuid_from_halves(1, 2)), "AAAAAAAAAAEAAAAAAAAAAg");
  EXPECT_EQ(to_text(Uuid{}), "AAAAAAAAAAAAAAAAAAAAAA");
  EXPECT_EQ(to_text(uuid_from_halves(UINT64_MAX, UINT64_MAX)), "_____________________w");
}

TEST(Uuid, AllZeroIsUnset) {
  EXPECT_TRUE(Uuid{}.unset());
  EXPECT_FALSE(uuid_from_halves(0, 1).unset());
}

TEST(Uuid, HalvesAreBigEndian) {
  const Uuid uuid = uuid_from_halves(0x0102030405060708, 0x090a0b0c0d0e0f10);
  for (std::uint8_t i = 0; i < 16; ++i) EXPECT_EQ(uuid.bytes[i], i + 1);
}

}  // namespace
}  // namespace braid::protocol
