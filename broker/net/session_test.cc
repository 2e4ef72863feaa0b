// A session is fed bytes and times; its replies are taken as a socket would take them.
#include "broker/net/session.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "broker/api/test_node.h"
#include "broker/limits.h"
#include "protocol/base/hex.h"
#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

using protocol::Bytes;
using protocol::ByteView;
using protocol::Instant;
using std::chrono::milliseconds;

constexpr std::size_t kReplyBytes = 20;

/// ApiVersions version 0 with this correlation id.
Bytes request(std::uint32_t correlation_id) {
  Bytes bytes = *protocol::from_hex("0000000a 0012 0000 00000000 ffff");
  protocol::Writer(protocol::MutableBytes(bytes).subspan(8, 4)).u32(correlation_id);
  return bytes;
}

Bytes requests(std::uint32_t count) {
  Bytes all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Bytes one = request(i);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

class SessionTest : public testing::Test {
 protected:
  void receive(ByteView bytes) { receive(session_, bytes); }
  void receive(Session& session, ByteView bytes) {
    Bytes scratch(bytes.begin(), bytes.end());
    session.received_elsewhere(scratch, now_);
  }

  /// Takes up to `bytes_max` of what is ready; their number.
  std::size_t take(std::size_t bytes_max = 1 << 20) {
    std::array<ByteView, 64> ready;
    const std::size_t count = session_.replies().gather(ready);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      taken_.insert(taken_.end(), ready[i].begin(), ready[i].end());
      bytes += ready[i].size();
    }
    const std::size_t allowed = std::min(bytes, bytes_max);
    taken_.resize(taken_.size() - (bytes - allowed));
    session_.sent(allowed, now_);
    return allowed;
  }

  /// Correlation ids of the replies taken so far.
  std::vector<std::uint32_t> answered() const {
    std::vector<std::uint32_t> ids;
    for (std::size_t at = 0; at + kReplyBytes <= taken_.size(); at += kReplyBytes)
      ids.push_back(protocol::Reader(ByteView(taken_).subspan(at + 4)).u32());
    return ids;
  }

  void expect_ending(std::string_view part) {
    ASSERT_TRUE(session_.ending());
    EXPECT_TRUE(session_.ending()->misbehaved);
    EXPECT_NE(session_.ending()->reason.find(part), std::string::npos) << session_.ending()->reason;
  }

  const BrokerFacts facts_{1, "cluster", {}};
  const ConnectionSettings settings_{1000, milliseconds(600), milliseconds(100), std::nullopt, std::nullopt};
  TestNode node_;
  const std::array<ServedApi, 1> apis_{*find_served(served_apis(), 18)};  // so that answers stay as they are
  Dispatcher dispatcher_{apis_, facts_, node_.node()};
  Instant now_{};
  Session session_{settings_, dispatcher_, now_};
  Bytes taken_;
};

TEST_F(SessionTest, AnswersAFrameThatComesByteByByte) {
  for (const std::byte byte : request(5)) {
    EXPECT_FALSE(session_.replies().has_output());
    receive({&byte, 1});
  }
  EXPECT_EQ(take(), kReplyBytes);
  EXPECT_EQ(answered(), std::vector<std::uint32_t>{5});
  EXPECT_EQ(session_.buffered_bytes(), 0U) << "an idle session holds no buffer";
}

TEST_F(SessionTest, ReadsTheRestOfAFrameIntoItsOwnRoom) {
  const Bytes bytes = request(5);
  EXPECT_TRUE(session_.own_room().empty());
  receive(ByteView(bytes).first(9));
  const protocol::MutableBytes room = session_.own_room();
  ASSERT_EQ(room.size(), 5U) << "the rest of the frame and not a byte more";
  std::ranges::copy(ByteView(bytes).subspan(9), room.begin());
  session_.received_in_room(room.size(), now_);
  EXPECT_EQ(take(), kReplyBytes);
}

TEST_F(SessionTest, AnswersInTheOrderOfRequestsAndHoldsTheRestBack) {
  constexpr std::uint32_t kCount = 100;
  static_assert(kCount > protocol::kRequestsInFlightMax);
  receive(requests(kCount));
  EXPECT_EQ(session_.replies().in_flight(), protocol::kRequestsInFlightMax);
  EXPECT_FALSE(session_.wants_input()) << "a client that does not read its answers is not read either";
  take(1);
  EXPECT_FALSE(session_.wants_input()) << "no answer has left whole";
  while (take(33) > 0) EXPECT_LE(session_.replies().in_flight(), protocol::kRequestsInFlightMax);
  const std::vector<std::uint32_t> ids = answered();
  ASSERT_EQ(ids.size(), kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(ids[i], i);
  EXPECT_TRUE(session_.wants_input());
  EXPECT_EQ(session_.buffered_bytes(), 0U);
}

TEST_F(SessionTest, AllocatesNothingForAnAnnouncedLength) {
  receive(*protocol::from_hex("000003e8 00"));  // 1,000 bytes are allowed
  EXPECT_LE(session_.buffered_bytes(), 2 * protocol::kReceiveFirstBytes);
  EXPECT_FALSE(session_.ending());
  EXPECT_LE(session_.own_room().size(), protocol::kReceiveFirstBytes);
}

TEST_F(SessionTest, EndsAtALengthThatIsNone) {
  for (const auto& [prefix, says] :
       {std::pair{"ffffffff", "-1 bytes"}, std::pair{"000003e9", "1001 bytes"},
        std::pair{"7fffffff", "2147483647 bytes"}, std::pair{"47455420", "HTTP"}, std::pair{"16030100", "TLS"}}) {
    Session session(settings_, dispatcher_, now_);
    receive(session, *protocol::from_hex(prefix));
    ASSERT_TRUE(session.ending()) << prefix;
    EXPECT_NE(session.ending()->reason.find(says), std::string::npos) << session.ending()->reason;
    EXPECT_FALSE(session.wants_input());
    EXPECT_EQ(session.buffered_bytes(), 0U);
  }
}

TEST_F(SessionTest, AnswersWhatCameBeforeABadFrameAndNothingBehindIt) {
  Bytes bytes = request(1);
  for (const Bytes& more : {*protocol::from_hex("00000000"), request(2)})
    bytes.insert(bytes.end(), more.begin(), more.end());
  receive(bytes);
  expect_ending("no request header");
  take();
  EXPECT_EQ(answered(), std::vector<std::uint32_t>{1});
}

TEST_F(SessionTest, EndsAtARequestThatIsNotServed) {
  receive(*protocol::from_hex("0000000a 003a 0000 00000000 ffff"));
  expect_ending("not served (key 58, version 0)");
}

TEST_F(SessionTest, MustSendAWholeRequestByItsFirstDeadline) {
  EXPECT_EQ(session_.deadline(), now_ + milliseconds(100));
  now_ += milliseconds(90);
  receive(ByteView(request(1)).first(13));
  EXPECT_EQ(session_.deadline(), Instant{} + milliseconds(100)) << "bytes alone are no request";
  receive(ByteView(request(1)).last(1));
  EXPECT_EQ(session_.deadline(), now_ + milliseconds(600));
}

TEST_F(SessionTest, IsIdleUnlessSomethingWholeComesOrGoes) {
  receive(request(1));
  now_ += milliseconds(500);
  take(kReplyBytes - 1);
  EXPECT_EQ(session_.deadline(), Instant{} + milliseconds(600)) << "a reader of single bytes does not stay for ever";
  take();
  EXPECT_EQ(session_.deadline(), now_ + milliseconds(600));
  now_ += milliseconds(500);
  receive(ByteView(request(2)).first(3));
  EXPECT_EQ(session_.deadline(), Instant{} + milliseconds(1100));
}

TEST_F(SessionTest, StaysForEverWhereNoIdleTimeIsSet) {
  ConnectionSettings endless = settings_;
  endless.idle_max = std::nullopt;
  Session session(endless, dispatcher_, now_);
  EXPECT_TRUE(session.deadline()) << "the first request has a deadline all the same";
  receive(session, request(1));
  EXPECT_FALSE(session.deadline());
}

TEST_F(SessionTest, DrainsByFinishingWhatItTookAndTakingNoMore) {
  receive(requests(2));
  session_.drain();
  EXPECT_FALSE(session_.wants_input());
  EXPECT_FALSE(session_.drained());
  receive(request(9));
  take();
  EXPECT_TRUE(session_.drained());
  EXPECT_EQ(answered().size(), 2U);
}

int started = 0;
protocol::Result<Answer> start_and_hold_back(RequestContext& /*context*/) {
  ++started;
  return Answer(Later{.holds_back = true});
}

TEST_F(SessionTest, StartsNothingBehindARequestThatHoldsBackUntilThatHadItsEffect) {
  ServedApi api = *find_served(served_apis(), 18);
  api.overlaps = true;
  api.handler = start_and_hold_back;
  const std::array<ServedApi, 1> apis{api};
  Dispatcher dispatcher(apis, facts_, node_.node());
  Session session(settings_, dispatcher, now_);
  started = 0;
  receive(session, requests(3));
  EXPECT_EQ(started, 1);
  EXPECT_FALSE(session.wants_input());
  session.took_effect(ReplySlot{0});
  session.resume(now_);
  EXPECT_EQ(started, 2) << "its answer may come later";
  session.took_effect(ReplySlot{0});
  session.resume(now_);
  EXPECT_EQ(started, 2) << "said twice by the first, not by the second";
  session.complete(ReplySlot{1}, NoReply{}, now_);
  session.resume(now_);
  EXPECT_EQ(started, 3) << "an answer is an effect";
}

/// A frame with so many bytes in all, which is no request.
Bytes frame_of(std::size_t bytes) {
  Bytes frame(bytes);
  protocol::Writer(protocol::MutableBytes(frame).first(4)).i32(static_cast<std::int32_t>(bytes - 4));
  return frame;
}

class SessionMemoryTest : public SessionTest {
 protected:
  static constexpr std::size_t kFrameBytes = 100'000;

  ByteBudget& budget() { return node_.node().request_bytes; }
  void use_up() { budget().force(budget().limit_bytes() - budget().used_bytes()); }

  const ConnectionSettings large_{1 << 20, milliseconds(600), milliseconds(100), std::nullopt, std::nullopt};
  Session large_session_{large_, dispatcher_, now_};
};

TEST_F(SessionMemoryTest, CountsWhatItKeepsAndTakesTheWholeFrameBeforeMoreIsRead) {
  const Bytes frame = frame_of(kFrameBytes);
  receive(large_session_, ByteView(frame).first(5000));
  EXPECT_EQ(budget().used_bytes(), 5000U);
  EXPECT_EQ(large_session_.lacking_bytes(), kFrameBytes - 5000);
  EXPECT_TRUE(large_session_.take_memory(now_));
  EXPECT_EQ(budget().used_bytes(), kFrameBytes);
  use_up();
  EXPECT_TRUE(large_session_.take_memory(now_)) << "it has what it needs, and can come to its end";
  receive(large_session_, ByteView(frame).subspan(5000));
  EXPECT_EQ(large_session_.held_bytes(), 0U);
  EXPECT_EQ(budget().used_bytes(), budget().limit_bytes() - kFrameBytes);
}

TEST_F(SessionMemoryTest, IsNotReadWithoutMemory) {
  use_up();
  EXPECT_FALSE(large_session_.take_memory(now_)) << "not even a first byte";
  budget().give_back(2000);
  EXPECT_TRUE(large_session_.take_memory(now_));
  receive(large_session_, ByteView(frame_of(kFrameBytes)).first(1000));
  EXPECT_FALSE(large_session_.take_memory(now_)) << "the frame does not fit";
}

TEST_F(SessionMemoryTest, GivesItsMemoryBackHoweverItEnds) {
  {
    Session ends(large_, dispatcher_, now_);
    receive(ends, ByteView(frame_of(kFrameBytes)).first(5000));
    EXPECT_TRUE(ends.take_memory(now_));
  }
  EXPECT_EQ(budget().used_bytes(), 0U);
}

TEST_F(SessionMemoryTest, WastesMemoryWhereAFrameComesTooSlowly) {
  const Bytes frame = frame_of(kFrameBytes);
  receive(large_session_, ByteView(frame).first(5000));
  now_ += milliseconds(2 * kShortMemoryGraceMs);
  EXPECT_FALSE(large_session_.wastes_memory(now_)) << "it was not given what it waits for";
  ASSERT_TRUE(large_session_.take_memory(now_));
  now_ += milliseconds(kShortMemoryGraceMs);
  EXPECT_FALSE(large_session_.wastes_memory(now_));
  EXPECT_TRUE(large_session_.wastes_memory(now_ + milliseconds(1)));
  receive(large_session_, ByteView(frame).subspan(5000));
  EXPECT_FALSE(large_session_.wastes_memory(now_ + milliseconds(1))) << "it is whole";
}

TEST_F(SessionMemoryTest, WastesNothingWhileItIsNotRead) {
  receive(session_, requests(100));
  ASSERT_FALSE(session_.wants_input());
  now_ += milliseconds(3 * kShortMemoryGraceMs);
  EXPECT_FALSE(session_.wastes_memory(now_));
}

TEST_F(SessionMemoryTest, SeesAClientThatDoesNotTakeItsAnswers) {
  for (int i = 0; i < 10; ++i) receive(requests(30));
  take(1);
  EXPECT_FALSE(session_.takes_too_slowly(now_ + milliseconds(kShortMemoryGraceMs + 1)))
      << "so few bytes are in nobody's way";
}

TEST_F(SessionTest, KeepsTheFirstReasonOfItsEnd) {
  session_.end({false, "first"});
  session_.end({true, "second"});
  EXPECT_EQ(session_.ending()->reason, "first");
}

}  // namespace
}  // namespace braid::broker
