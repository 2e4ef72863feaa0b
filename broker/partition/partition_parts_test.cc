// The small parts of a partition: what waits for the log, ends of epochs, deadlines.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "broker/partition/ack_queue.h"
#include "broker/partition/deadlines.h"
#include "broker/partition/epoch_end.h"
#include "broker/partition/partition.h"
#include "broker/partition/partition_errc.h"
#include "broker/runtime/system_clock.h"

namespace braid::broker {
namespace {

using storage::EpochStart;
using storage::LeaderEpoch;
using storage::LogPosition;
using storage::Offset;

TEST(AckQueue, GivesOutInOrderWhatTheLogHasReached) {
  AckQueue queue;
  const auto entry_at = [](std::int64_t position) {
    AckQueue::Entry entry;
    entry.position = LogPosition{position};
    return entry;
  };
  for (std::int64_t position = 0; position < 200; ++position) queue.push(entry_at(position / 2));  // also grows
  AckQueue::Entry out;
  for (std::int64_t i = 0; i < 2 * 51; ++i) {
    ASSERT_TRUE(queue.pop(LogPosition{50}, out)) << i;
    EXPECT_EQ(out.position.value, i / 2);
  }
  EXPECT_FALSE(queue.pop(LogPosition{50}, out));
  EXPECT_EQ(queue.front_position(), LogPosition{51});
  int rest = 0;
  while (queue.pop_any(out)) ++rest;
  EXPECT_EQ(rest, 98);
  EXPECT_TRUE(queue.empty());
}

TEST(EpochEnd, IsWhereTheNextEpochBegan) {
  const std::vector<EpochStart> epochs = {{LeaderEpoch{2}, Offset{10}}, {LeaderEpoch{5}, Offset{30}}};
  storage::PartitionView view;
  view.start = Offset{10};
  view.end = Offset{40};
  view.epochs = epochs;
  struct Case {
    std::int32_t asked, epoch;
    std::int64_t end;
  };
  const Case cases[] = {{-1, -1, -1}, {0, 0, 10}, {1, 1, 10}, {2, 2, 30}, {3, 2, 30},
                        {4, 2, 30},   {5, 5, 40}, {6, 5, 40}, {7, 7, 40}, {8, -1, -1}};
  for (const Case& each : cases) {
    const EpochEnd end = find_epoch_end(view, 7, each.asked);
    EXPECT_EQ(end.epoch, each.epoch) << each.asked;
    EXPECT_EQ(end.end_offset, each.end) << each.asked;
  }
}

class Noted final : public Deadline {
 public:
  explicit Noted(std::vector<int>& noted, int number) : noted_(noted), number_(number) {}
  void passed() override {
    EXPECT_GE(SystemClock().now(), due);
    noted_.push_back(number_);
  }

 private:
  std::vector<int>& noted_;
  const int number_;
};

TEST(PartitionLeaderEpoch, IsHeldAgainstWhatAClientKnows) {
  const Partition partition({}, nullptr, storage::Offset{0}, storage::LeaderEpoch{3},
                            std::make_shared<TopicCounters>());
  EXPECT_TRUE(partition.check_leader_epoch(-1).has_value()) << "it does not say";
  EXPECT_TRUE(partition.check_leader_epoch(3).has_value());
  for (const std::int32_t older : {0, 2})
    EXPECT_EQ(partition.check_leader_epoch(older).error(), make_error_code(PartitionErrc::fenced_leader_epoch));
  EXPECT_EQ(partition.check_leader_epoch(4).error(), make_error_code(PartitionErrc::unknown_leader_epoch));
}

TEST(Deadlines, PassWhenTheyAreDueAndNotWhenTheyEndedBefore) {
  boost::asio::io_context loop;
  const SystemClock clock;
  Deadlines deadlines(loop, clock);
  std::vector<int> passed;
  Noted late(passed, 1);
  Noted soon(passed, 2);
  Noted at_once(passed, 3);
  const auto now = clock.now();
  deadlines.add(late, now + std::chrono::milliseconds(20));
  deadlines.add(soon, now + std::chrono::milliseconds(5));
  deadlines.add(at_once, now);
  {
    Noted gone(passed, 4);
    deadlines.add(gone, now);
  }
  loop.run();
  std::ranges::sort(passed);
  EXPECT_EQ(passed, (std::vector<int>{1, 2, 3}));
}

TEST(Deadlines, DoNotPassOnceStopped) {
  boost::asio::io_context loop;
  const SystemClock clock;
  Deadlines deadlines(loop, clock);
  std::vector<int> passed;
  Noted one(passed, 1);
  deadlines.add(one, clock.now());
  deadlines.stop();
  loop.run();
  EXPECT_TRUE(passed.empty());
}

}  // namespace
}  // namespace braid::broker
