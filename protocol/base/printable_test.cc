#include "protocol/base/printable.h"

#include <gtest/gtest.h>

namespace braid::protocol {
namespace {

TEST(Printable, LeavesTextAsItIs) { EXPECT_EQ(printable("topic-1 caf\xC3\xA9"), "topic-1 caf\xC3\xA9"); }

TEST(Printable, ShowsControlCharactersByTheirNumber) {
  EXPECT_EQ(printable("a\x1b[31m\n\x7f"), "a\\x1b[31m\\x0a\\x7f");
}

TEST(Printable, ShowsBytesThatAreNoTextByTheirNumber) { EXPECT_EQ(printable("a\xff\xC3"), "a\\xff\\xc3"); }

}  // namespace
}  // namespace braid::protocol
