// Each call to the disk fails once, at every step; afterwards the same is asked again and all is well.
#include <gtest/gtest.h>

#include <boost/system/errc.hpp>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "storage/commitlog/consume_queue_files.h"
#include "storage/env/file_text.h"
#include "storage/env/memory_file_system.h"

namespace braid::storage {
namespace {

constexpr LogPosition kAllSynced{INT64_MAX};
constexpr std::int64_t kUnits = 700;

/// A queue over the border of two files, and the files to write it to.
struct Scene {
  Scene() {
    expect_ok(disk.make_directory("cq"));
    for (std::int64_t i = 0; i < kUnits / 7; ++i)
      queue.append({.position = LogPosition{4096 + 160 * i}, .size_bytes = 160, .timestamp_max = i}, 7);
  }

  Result<void> write_out() {
    QueueWrite units;
    while (queue.take(kAllSynced, units)) {
      const Result<void> done = files.write(name, units);
      if (done.has_error()) {
        queue.give_back();
        return done;
      }
      queue.written();
    }
    return protocol::ok();
  }

  void expect_all_written() {
    std::vector<QueueUnit> units(static_cast<std::size_t>(kUnits));
    expect_ok(files.read(name, queue.begin(), units));
    for (std::size_t i = 0; i < units.size(); ++i)
      EXPECT_EQ(units[i].position, 4096 + 160 * static_cast<std::int64_t>(i / 7)) << i;
    const auto page = files.find_time_page(name, 60, queue.begin(), queue.written_end());
    ASSERT_TRUE(page.has_value());
    EXPECT_EQ(*page, Offset{300'000}) << "batch 60 holds units 300,120 to 300,126";
  }

  MemoryFileSystem disk;
  OpenFiles open{disk, 4};
  ConsumeQueueFiles files{disk, open, "cq"};
  ConsumeQueue queue{Offset{299'700}};
  TopicId id{{1, 2, 3}};
  QueueName name{.topic_id = id, .topic = "orders", .queue = QueueId{3}};
};

using Prepare = std::function<void(Scene&)>;
using Act = std::function<Result<void>(Scene&)>;
using Verify = std::function<void(Scene&)>;

/// Fails the n-th call of `act`, for every n, then acts again without a fault. Returns how many calls there were.
std::uint64_t fail_each_call(Fault fault, const Prepare& prepare, const Act& act, const Verify& verify) {
  for (std::uint64_t nth = 1;; ++nth) {
    SCOPED_TRACE("call " + std::to_string(nth));
    Scene scene;
    prepare(scene);
    fault.nth = nth;
    scene.disk.plan(fault);
    const Result<void> first = act(scene);
    scene.disk.clear_faults();
    if (first.has_error()) {
      EXPECT_EQ(first.error().value(), fault.error);
      expect_ok(act(scene));
    }
    verify(scene);
    if (testing::Test::HasFailure() || (first.has_value() && fault.effect == Fault::Effect::kError)) return nth - 1;
    if (nth > 2000) return nth;
  }
}

const Prepare kNothing = [](Scene&) {};
const Prepare kWritten = [](Scene& scene) { expect_ok(scene.write_out()); };
const Act kWriteOut = [](Scene& scene) { return scene.write_out(); };
const Verify kAllWritten = [](Scene& scene) { scene.expect_all_written(); };

TEST(ConsumeQueueFaults, AWriteOutThatFailsAtAnyCallIsDoneAgain) {
  EXPECT_GT(fail_each_call({.operation = std::nullopt, .error = EIO}, kNothing, kWriteOut, kAllWritten), 100U);
}

TEST(ConsumeQueueFaults, AFullDiskAtAnyWriteLeavesTheUnitsInMemory) {
  const Act act = [](Scene& scene) {
    const Result<void> done = scene.write_out();
    if (done.has_error()) {
      EXPECT_EQ(done.error(), boost::system::errc::no_space_on_device);
      for (std::int64_t i = scene.queue.written_end().value; i < scene.queue.end().value; ++i)
        EXPECT_TRUE(scene.queue.find(Offset{i}).has_value()) << i;
    }
    return done;
  };
  EXPECT_GT(fail_each_call({.operation = Operation::kWrite, .error = ENOSPC}, kNothing, act, kAllWritten), 100U);
}

TEST(ConsumeQueueFaults, AReadThatFailsAtAnyCallSaysSo) {
  const Act act = [](Scene& scene) {
    std::vector<QueueUnit> units(static_cast<std::size_t>(kUnits));
    scene.open.forget("cq");
    return scene.files.read(scene.name, scene.queue.begin(), units);
  };
  EXPECT_GE(fail_each_call({.operation = std::nullopt, .error = EIO}, kWritten, act, kAllWritten), 5U);
}

TEST(ConsumeQueueFaults, ALookUpByTimeThatFailsAtAnyCallSaysSo) {
  const Act act = [](Scene& scene) -> Result<void> {
    scene.open.forget("cq");
    TRY_DO(scene.files.find_time_page(scene.name, 1000, scene.queue.begin(), Offset{300'400}));
    return protocol::ok();
  };
  EXPECT_GE(fail_each_call({.operation = std::nullopt, .error = EIO}, kWritten, act, kAllWritten), 4U);
}

TEST(ConsumeQueueFaults, ATrimThatFailsAtAnyCallIsDoneAgain) {
  const Act act = [](Scene& scene) { return scene.files.trim(scene.name, Offset{300'000}); };
  const Verify verify = [](Scene& scene) {
    EXPECT_EQ(names_in(scene.disk, "cq/orders"),
              (std::vector<std::string>{"3", "3-00000000000006000000.times", "topic-id"}));
    EXPECT_EQ(names_in(scene.disk, "cq/orders/3"), std::vector<std::string>{"00000000000006000000"});
  };
  EXPECT_GE(fail_each_call({.operation = std::nullopt, .error = EIO}, kWritten, act, verify), 3U);
}

TEST(ConsumeQueueFaults, ARemovalThatFailsAtAnyCallIsDoneAgain) {
  const Verify gone = [](Scene& scene) { EXPECT_TRUE(names_in(scene.disk, "cq").empty()); };
  const Act topic = [](Scene& scene) { return scene.files.remove_topic("orders"); };
  EXPECT_GE(fail_each_call({.operation = std::nullopt, .error = EIO}, kWritten, topic, gone), 7U);

  const Verify id_left = [](Scene& scene) {
    EXPECT_EQ(names_in(scene.disk, "cq/orders"), std::vector<std::string>{"topic-id"});
  };
  const Act queue = [](Scene& scene) { return scene.files.remove_queue(scene.name); };
  EXPECT_GE(fail_each_call({.operation = std::nullopt, .error = EIO}, kWritten, queue, id_left), 7U);
}

TEST(ConsumeQueueFaults, AStaleDirectoryIsReplacedWhateverCallFails) {
  const Prepare stale = [](Scene& scene) {
    expect_ok(scene.disk.make_directory("cq/orders"));
    expect_ok(scene.disk.make_directory("cq/orders/3"));
    put_text(scene.disk, "cq/orders/topic-id", 0, "00000000000000000000000000000000\n");
    put_text(scene.disk, "cq/orders/3/00000000000005999999", 0, "x");
  };
  const Verify verify = [](Scene& scene) {
    scene.expect_all_written();
    EXPECT_EQ(names_in(scene.disk, "cq/orders/3").size(), 2U);
  };
  EXPECT_GT(fail_each_call({.operation = std::nullopt, .error = EIO}, stale, kWriteOut, verify), 100U);
}

}  // namespace
}  // namespace braid::storage
