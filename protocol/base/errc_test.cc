#include "protocol/base/errc.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace braid::protocol {
namespace {

TEST(Errc, EachCodeHasAMessageOfItsOwn) {
  std::set<std::string> messages;
  for (const Errc code :
       {Errc::truncated, Errc::malformed, Errc::too_large, Errc::not_hex, Errc::unsupported_version}) {
    const boost::system::error_code error = code;
    EXPECT_TRUE(error);
    EXPECT_STREQ(error.category().name(), "braid.protocol");
    EXPECT_TRUE(messages.insert(error.message()).second) << error.message();
  }
}

TEST(Errc, AnUnknownValueIsNamedByItsNumber) {
  EXPECT_EQ(boost::system::error_code(99, errc_category()).message(), "unknown error 99");
}

}  // namespace
}  // namespace braid::protocol
