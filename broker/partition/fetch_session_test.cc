// Fetch sessions: the order of news, what is forgotten, epochs, and which session gives its place to another.
#include "broker/partition/fetch_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>

namespace braid::broker {
namespace {

FetchKey key_of(std::int32_t partition) { return {{}, "t", partition}; }

std::string news_of(FetchSession& session) {
  std::string names;
  for (const FetchedPartition& each : session.news()) names += std::to_string(each.key().partition);
  return names;
}

TEST(FetchSession, HasNewsInTheOrderItCameAndAnsweredOnesLast) {
  FetchSession session(1, false);
  FetchedPartition& first = session.ask(key_of(0), {});
  FetchedPartition& second = session.ask(key_of(1), {});
  session.ask(key_of(2), {});
  EXPECT_EQ(news_of(session), "012");
  session.to_the_end(first);
  EXPECT_EQ(news_of(session), "120");
  session.no_news(second);
  EXPECT_EQ(news_of(session), "20");
  session.ask(key_of(1), {});
  EXPECT_EQ(news_of(session), "201") << "asked at another position: looked at again";
  session.forget(key_of(0));
  session.forget(key_of(9));
  EXPECT_EQ(news_of(session), "21");
  EXPECT_EQ(session.size(), 2U);
}

TEST(FetchSession, IsToldOfWhatHappensToItsPartitions) {
  FetchSession session(1, false);
  Partition partition({{}, "t", 0, {}}, nullptr, storage::Offset{0}, storage::LeaderEpoch{0},
                      std::make_shared<TopicCounters>());
  FetchedPartition& fetched = session.ask(key_of(0), {});
  fetched.attach(partition);
  session.no_news(fetched);
  std::size_t told = 0;
  session.on_news = [&](std::size_t bytes) { told += bytes + 1; };
  partition.raise_high_watermark(storage::Offset{1}, 100);
  EXPECT_EQ(told, 101U);
  EXPECT_TRUE(fetched.has_news());
  partition.removed();
  EXPECT_EQ(told, 102U);
  EXPECT_EQ(fetched.partition(), nullptr);
}

TEST(FetchSession, CountsFromOneAgainAfterTheLargestEpoch) {
  FetchSession session(1, false);
  EXPECT_EQ(session.next_epoch(), 1);
  session.count_epoch();
  EXPECT_EQ(session.next_epoch(), 2);
}

TEST(FetchSessionPlaces, GoToTheNewSessionOnlyWhenAnotherWasNotUsedForLong) {
  FetchSessions sessions({.slots = 2, .evictable_after_ms = 1000});
  const protocol::Instant start{};
  const auto first = sessions.create(false, start);
  const auto second = sessions.create(true, start + std::chrono::milliseconds(10));
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first->id(), second->id());
  EXPECT_EQ(sessions.create(false, start + std::chrono::milliseconds(999)), nullptr);
  first->used_at = start + std::chrono::milliseconds(500);
  const auto third = sessions.create(false, start + std::chrono::milliseconds(1010));
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(sessions.find(second->id()), nullptr) << "the one that was unused longest";
  EXPECT_EQ(sessions.find(first->id()), first);
  sessions.remove(first->id());
  EXPECT_EQ(sessions.find(first->id()), nullptr);
  EXPECT_EQ(sessions.size(), 1U);
}

TEST(FetchSessionPlaces, AreNoneWithoutSlots) {
  FetchSessions sessions({.slots = 0, .evictable_after_ms = 0});
  EXPECT_EQ(sessions.create(false, {}), nullptr);
}

}  // namespace
}  // namespace braid::broker
