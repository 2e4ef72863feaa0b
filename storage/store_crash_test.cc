// Power cuts: at every call that changes the disk the machine may stop. What is found afterwards must be the state
// after some first operations, all acknowledged ones among them.
#include <gtest/gtest.h>

#include <string>

#include "storage/crash_judge.h"
#include "storage/test_seed.h"

namespace braid::storage {
namespace {

struct Judged {
  std::string failure;         // of the first run that had one
  std::uint64_t recycled = 0;  // steps in which a log file went into the pool or out of it
};

/// Runs with `options_of(run)` until there were so many crash points.
template <class OptionsOf>
Judged judge_runs(std::uint64_t points_min, OptionsOf options_of) {
  const std::uint64_t seed = test_seed();
  std::uint64_t points = 0;
  Judged judged;
  for (std::uint64_t run = 0; points < points_min && judged.failure.empty(); ++run) {
    CrashJudge::Options options = options_of(run);
    options.seed = seed + run;
    CrashJudge judge(options);
    judged.failure = judge.run();
    if (!judged.failure.empty()) judged.failure += " (run " + std::to_string(run) + ")";
    points += judge.crash_points();
    judged.recycled += judge.recycled();
  }
  print_count(points, "crash points");
  print_count(judged.recycled, "steps in which a log file was recycled");
  return judged;
}

TEST(StoreCrash, LosesNothingAcknowledgedAtAnyCallInAnyVariant) {
  const Judged judged = judge_runs(test_scale(3'000, 120'000), [](std::uint64_t run) {
    // Short runs with every call, long ones, in which files roll and are freed, with some.
    const bool is_long = run % 3 == 2;
    return CrashJudge::Options{.operations = is_long ? 1500 : 60,
                               .every_variant = run % 3 == 0,
                               .one_in = is_long ? std::uint64_t{8} : std::uint64_t{1}};
  });
  EXPECT_EQ(judged.failure, "");
}

TEST(StoreCrash, LosesNothingWhereAFreedFileBecomesTheLogsNext) {
  const Judged judged = judge_runs(test_scale(1'500, 20'000), [](std::uint64_t) {
    return CrashJudge::Options{.operations = 1500, .every_variant = true, .one_in = 32, .only_near_recycling = true};
  });
  EXPECT_EQ(judged.failure, "");
  EXPECT_GT(judged.recycled, 4U);
}

}  // namespace
}  // namespace braid::storage
