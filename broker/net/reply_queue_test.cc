#include "broker/net/reply_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace braid::broker {
namespace {

Reply reply(std::string_view text) {
  const protocol::ByteView bytes = protocol::as_bytes(text);
  return {protocol::Bytes(bytes.begin(), bytes.end()), {}, {}, {}, {}};
}

std::string gathered(const ReplyQueue& queue, std::size_t buffers = 64) {
  std::vector<protocol::ByteView> out(buffers);
  const std::size_t count = queue.gather(out);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += protocol::as_text(out[i]);
  return text;
}

TEST(ReplyQueue, HoldsBackWhatIsReadyBeforeItsTurn) {
  RequestCounters counters;
  ReplyQueue queue(counters);
  const ReplySlot first = queue.reserve();
  const ReplySlot second = queue.reserve();
  queue.fulfil(second, reply("second"));
  EXPECT_FALSE(queue.has_output());
  EXPECT_EQ(gathered(queue), "");
  queue.fulfil(first, reply("first"));
  EXPECT_EQ(gathered(queue), "firstsecond");
  EXPECT_EQ(queue.unfulfilled(), 0U);
}

TEST(ReplyQueue, GoesOnWhereTheSocketStopped) {
  RequestCounters counters;
  ReplyQueue queue(counters);
  queue.fulfil(queue.reserve(), reply("abc"));
  queue.fulfil(queue.reserve(), reply("def"));
  EXPECT_EQ(queue.sent(2), 0U);
  EXPECT_EQ(gathered(queue), "cdef");
  EXPECT_EQ(queue.sent(2), 1U);
  EXPECT_EQ(gathered(queue), "ef");
  EXPECT_EQ(queue.queued_bytes(), 3U) << "a reply counts until it has left whole";
  EXPECT_EQ(queue.sent(2), 1U);
  EXPECT_EQ(queue.in_flight(), 0U);
  EXPECT_EQ(queue.queued_bytes(), 0U);
}

TEST(ReplyQueue, PassesOverRequestsWithoutReply) {
  RequestCounters counters;
  ReplyQueue queue(counters);
  const ReplySlot first = queue.reserve();
  const ReplySlot second = queue.reserve();
  const ReplySlot third = queue.reserve();
  queue.skip(second);
  queue.fulfil(third, reply("c"));
  EXPECT_FALSE(queue.has_output());
  queue.fulfil(first, reply("a"));
  EXPECT_EQ(gathered(queue), "ac");
  EXPECT_EQ(queue.sent(2), 2U);
  EXPECT_EQ(queue.in_flight(), 0U);
  queue.skip(queue.reserve());
  EXPECT_EQ(queue.in_flight(), 0U);
  EXPECT_FALSE(queue.has_output());
}

TEST(ReplyQueue, ShowsNoMoreBuffersThanThereIsSpaceFor) {
  RequestCounters counters;
  ReplyQueue queue(counters);
  for (const std::string_view text : {"a", "b", "c"}) queue.fulfil(queue.reserve(), reply(text));
  EXPECT_EQ(gathered(queue, 2), "ab");
}

// Random arrival, completion and partial sends: whatever the order, the bytes that leave are those of the requests in
// order.
TEST(ReplyQueue, KeepsTheOrderOfRequestsWhateverHappens) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  RequestCounters counters;
  ReplyQueue queue(counters);
  std::vector<std::pair<ReplySlot, std::string>> waiting;
  std::string expected;
  std::string left;
  int made = 0;
  while (made < 2000 || !waiting.empty() || queue.has_output()) {
    const auto choice = random() % 3;
    if (choice == 0 && made < 2000) {
      const std::string text = random() % 5 == 0 ? "" : "<" + std::to_string(made) + ">";
      expected += text;
      waiting.emplace_back(queue.reserve(), text);
      ++made;
    } else if (choice == 1 && !waiting.empty()) {
      const std::size_t which = random() % waiting.size();
      const auto [slot, text] = waiting[which];
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(which));
      text.empty() ? queue.skip(slot) : queue.fulfil(slot, reply(text));
    } else {
      const std::string ready = gathered(queue, 1 + random() % 4);
      const std::size_t bytes = ready.empty() ? 0 : random() % (ready.size() + 1);
      left += ready.substr(0, bytes);
      queue.sent(bytes);
    }
  }
  EXPECT_EQ(left, expected);
  EXPECT_EQ(queue.in_flight(), 0U);
}

}  // namespace
}  // namespace braid::broker
