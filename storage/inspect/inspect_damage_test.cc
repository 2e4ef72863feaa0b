// Whatever lies in a directory, and whatever the disk answers: every inspection ends, and writes nothing.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/env/split_mix.h"
#include "storage/inspect/inspect_checkpoint.h"
#include "storage/inspect/inspect_commit_log.h"
#include "storage/inspect/inspect_consume_queue.h"
#include "storage/inspect/inspect_where.h"
#include "storage/inspect/inspected_store.h"
#include "storage/inspect/verify_shard.h"
#include "storage/test_seed.h"

namespace braid::storage {
namespace {

struct Inspection {
  const char* name;
  std::function<InspectSummary(FileSystem&, InspectFormat, InspectSink&)> run;
};

const std::vector<Inspection>& inspections() {
  static const std::vector<Inspection> all = {
      {"commitlog",
       [](auto& files, auto format, auto& sink) { return inspect_commit_log(files, "", {.format = format}, sink); }},
      {"commitlog_file", [](auto& files, auto format,
                            auto& sink) { return inspect_commit_log(files, kFirstLogFile, {.format = format}, sink); }},
      {"consumequeue",
       [](auto& files, auto format, auto& sink) {
         return inspect_consume_queue(files, "consumequeue/orders/0", {.format = format}, sink);
       }},
      {"checkpoint", [](auto& files, auto format, auto& sink) { return inspect_checkpoint(files, "", format, sink); }},
      {"where",
       [](auto& files, auto format, auto& sink) {
         return inspect_where(
             files, "", {.format = format, .topic = "orders", .partition = QueueId{0}, .offset = Offset{7}}, sink);
       }},
      {"verify", [](auto& files, auto format, auto& sink) { return verify_shard(files, "", format, sink); }},
  };
  return all;
}

/// A closed store's files.
std::unique_ptr<MemoryFileSystem> files_of_a_store() {
  InspectedStore store;
  store.fill(400);
  protocol::check(store.store().close().has_value(), "nothing fails here");
  return store.files().after_cut({.variant = CutVariant::kKeepAll});
}

const std::array kPaths = {"identity",
                           kFirstLogFile,
                           kSecondLogFile,
                           "commitlog/00000000000000262144",
                           "checkpoint/0",
                           "checkpoint/1",
                           "consumequeue/orders/topic-id",
                           "consumequeue/orders/0/00000000000000000000",
                           "consumequeue/orders/0-00000000000000000000.times"};

void damage_somewhere(MemoryFileSystem& files, SplitMix& random) {
  const std::string path = kPaths[random.below(kPaths.size())];
  const auto file = files.open(path, {.mode = OpenMode::kWrite});
  if (file.has_error()) return;
  const std::uint64_t size = *(*file)->size();
  if (size == 0) return;
  const std::uint64_t at = random.below(size);
  switch (random.below(6)) {
    case 0:
      protocol::check((*file)->truncate(at).has_value(), "cut");
      break;
    case 1:
      protocol::check(files.remove_file(path).has_value(), "removed");
      break;
    case 2:
      protocol::check(files.fail_reads(path, at, at + 1 + random.below(5000), EIO).has_value(), "unreadable");
      break;
    case 3: {
      Bytes zeros(1 + random.below(std::min<std::uint64_t>(size - at, 9000)));
      protocol::check(files.damage(path, at, zeros).has_value(), "zeros");
      break;
    }
    default: {
      const std::byte byte{static_cast<unsigned char>(random.below(256))};
      protocol::check(files.damage(path, at, {&byte, 1}).has_value(), "another byte");
    }
  }
}

TEST(InspectDamage, EveryInspectionEndsWhateverLiesThere) {
  SplitMix random(test_seed());
  const std::uint64_t rounds = test_scale(150, 5000);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::unique_ptr<MemoryFileSystem> files = files_of_a_store();
    for (std::uint64_t i = 0; i <= random.below(6); ++i) damage_somewhere(*files, random);
    const std::uint64_t changes = files->changes();
    for (const Inspection& inspection : inspections()) {
      for (const InspectFormat format : {InspectFormat::kText, InspectFormat::kJson}) {
        InspectLines lines;
        const InspectSummary summary = inspection.run(*files, format, lines);
        EXPECT_EQ(summary.findings, lines.findings.size()) << inspection.name;
        EXPECT_LT(lines.rows.size(), 2000U) << inspection.name;
      }
    }
    EXPECT_EQ(files->changes(), changes);
  }
  print_count(rounds, "damaged stores inspected");
}

TEST(InspectDamage, EachFailedCallIsToldOrCostsNothing) {
  const std::unique_ptr<MemoryFileSystem> files = files_of_a_store();
  for (const Inspection& inspection : inspections()) {
    InspectLines whole;
    inspection.run(*files, InspectFormat::kText, whole);
    for (const Operation call : {Operation::kOpen, Operation::kRead, Operation::kSize, Operation::kList}) {
      for (std::uint64_t nth = 1; nth < 60; ++nth) {
        files->plan({.operation = call, .nth = nth, .error = EIO});
        InspectLines lines;
        inspection.run(*files, InspectFormat::kText, lines);
        files->clear_faults();
        const bool is_told = lines.findings != whole.findings || lines.notes != whole.notes;
        // Without the newest checkpoint an older one and the log say the same, with fewer pages of times in files.
        const auto checked = [](const InspectLines& of) {
          return of.rows.back().substr(0, of.rows.back().find(" units"));
        };
        EXPECT_TRUE(is_told || lines.rows == whole.rows || checked(lines) == checked(whole))
            << inspection.name << ", " << name_of(call) << " " << nth;
      }
    }
  }
}

TEST(InspectDamage, NothingIsLockedOrWrittenInAStoreInUse) {
  InspectedStore store;
  store.fill(400);
  const std::uint64_t changes = store.files().changes();
  const std::uint64_t locks = store.files().calls(Operation::kLock);
  for (const Inspection& inspection : inspections()) {
    InspectLines lines;
    inspection.run(store.files(), InspectFormat::kText, lines);
  }
  EXPECT_EQ(store.files().changes(), changes);
  EXPECT_EQ(store.files().calls(Operation::kLock), locks);
}

TEST(InspectDamage, EachInspectionStopsWhenTheSinkHasEnough) {
  const std::unique_ptr<MemoryFileSystem> files = files_of_a_store();
  for (const Inspection& inspection : inspections()) {
    InspectLines lines;
    lines.rows_max = 1;
    inspection.run(*files, InspectFormat::kText, lines);
    EXPECT_EQ(lines.rows.size(), 1U) << inspection.name;
  }
}

}  // namespace
}  // namespace braid::storage
