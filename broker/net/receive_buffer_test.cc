#include "broker/net/receive_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

using protocol::as_bytes;
using protocol::as_text;
using protocol::kReceiveFirstBytes;

TEST(ReceiveBuffer, HoldsNoMemoryWhenEmpty) {
  ReceiveBuffer buffer;
  EXPECT_EQ(buffer.capacity_bytes(), 0U);
  buffer.append(as_bytes("abc"));
  buffer.consume(3);
  EXPECT_EQ(buffer.capacity_bytes(), 0U);
}

TEST(ReceiveBuffer, KeepsBytesInOrderThroughAppendReadAndConsume) {
  ReceiveBuffer buffer;
  buffer.append(as_bytes("abc"));
  const protocol::MutableBytes room = buffer.room(3);
  ASSERT_EQ(room.size(), 3U);
  std::ranges::copy(as_bytes("def"), room.begin());
  buffer.filled(2);
  buffer.consume(1);
  buffer.append(as_bytes("xyz"));
  EXPECT_EQ(as_text(buffer.bytes()), "bcdexyz");
}

TEST(ReceiveBuffer, GrowsWithWhatCameNotWithWhatIsAnnounced) {
  constexpr std::size_t kAnnounced = 100 * 1024 * 1024;
  ReceiveBuffer buffer;
  buffer.append(as_bytes("abcd"));
  std::size_t received = 4;
  while (received < 1'000'000) {
    const std::size_t room = buffer.room(kAnnounced - received).size();
    const std::size_t bytes = std::min<std::size_t>(room, 1460);
    buffer.filled(bytes);
    received += bytes;
    EXPECT_LE(buffer.capacity_bytes(), std::max(2 * received, 2 * kReceiveFirstBytes));
  }
}

TEST(ReceiveBuffer, AsksForNoMoreThanIsMissing) {
  ReceiveBuffer buffer;
  buffer.append(as_bytes("abcd"));
  EXPECT_EQ(buffer.room(5).size(), 5U);
  EXPECT_EQ(buffer.room(0).size(), 1U) << "a read needs somewhere to go";
}

}  // namespace
}  // namespace braid::broker
