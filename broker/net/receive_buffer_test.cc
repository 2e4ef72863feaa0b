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

/// How often the bytes moved, seen from outside, while a frame came in pieces of so many bytes.
std::size_t moves_of_a_long_frame(std::size_t piece_bytes) {
  constexpr std::size_t kFrameBytes = 4 * 1024 * 1024;
  ReceiveBuffer buffer;
  buffer.append(as_bytes("abcd"));
  std::size_t moves = 0;
  const std::byte* begin = buffer.bytes().data();
  for (std::size_t received = 4; received < kFrameBytes;) {
    const std::size_t room = buffer.room(kFrameBytes - received).size();
    buffer.filled(std::min(room, piece_bytes));
    received += std::min(room, piece_bytes);
    if (buffer.bytes().data() != begin) ++moves;
    begin = buffer.bytes().data();
  }
  return moves;
}

TEST(ReceiveBuffer, MovesTheBytesOfALongFrameAFewTimesWhateverThePieces) {
  constexpr std::size_t kDoublingsFrom4KibTo4Mib = 10;
  for (const std::size_t piece : {1U, 100U, 1460U, 65536U, 1000000U})
    EXPECT_LE(moves_of_a_long_frame(piece), kDoublingsFrom4KibTo4Mib + 2) << piece << " bytes at a time";
}

TEST(ReceiveBuffer, AsksForNoMoreThanIsMissing) {
  ReceiveBuffer buffer;
  buffer.append(as_bytes("abcd"));
  EXPECT_EQ(buffer.room(5).size(), 5U);
  EXPECT_EQ(buffer.room(0).size(), 1U) << "a read needs somewhere to go";
}

}  // namespace
}  // namespace braid::broker
