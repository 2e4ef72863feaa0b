// Everything that can be wrong on a disk, one by one; what is right, in use or only torn is no finding.
#include "storage/inspect/verify_shard.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "storage/inspect/inspected_store.h"

namespace braid::storage {
namespace {

constexpr const char* kOrdersQueue = "consumequeue/orders/0/00000000000000000000";

InspectLines verify(InspectedStore& store, InspectFormat format = InspectFormat::kText, const std::string& path = "") {
  InspectLines lines;
  const InspectSummary summary = verify_shard(store.files(), path, format, lines);
  EXPECT_EQ(summary.findings, lines.findings.size());
  return lines;
}

TEST(VerifyShard, CountsWhatItChecked) {
  InspectedStore store;
  store.fill(400);
  EXPECT_EQ(verify(store).rows,
            std::vector<std::string>{
                "checked 3 log files, 405 entries (400 batches, 263792 bytes), 2 queues, 800 units, 3 page "
                "times: no findings"});
  EXPECT_EQ(
      verify(store, InspectFormat::kJson).rows,
      std::vector<std::string>{
          R"({"log_files":3,"entries":405,"batches":400,"bytes":263792,"queues":2,"units":800,"times":3,"findings":0})"});
  EXPECT_EQ(verify(store, InspectFormat::kText, kFirstLogFile).rows,
            std::vector<std::string>{
                "checked 1 log files, 196 entries (192 batches, 126976 bytes), 0 queues, 0 units, 0 page "
                "times: no findings"});
}

TEST(VerifyShard, FindsNothingInAStoreInUseWhateverItIsDoing) {
  InspectedStore store;
  const PartitionId orders = store.create("orders");
  const PartitionId bills = store.create("bills");
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 7; ++i) store.append(i % 2 == 0 ? orders : bills, 500, Durability::kWritten);
    EXPECT_EQ(verify(store).findings, std::vector<std::string>()) << "appended, round " << round;
    store.write();
    EXPECT_EQ(verify(store).findings, std::vector<std::string>()) << "written, round " << round;
    if (round % 3 == 0) store.settle();
    if (round % 10 == 9) store.trim(orders, store.expected(orders).end);
    EXPECT_EQ(verify(store).findings, std::vector<std::string>()) << "settled, round " << round;
  }
  ASSERT_TRUE(store.store().remove(bills).has_value());
  EXPECT_EQ(verify(store).findings, std::vector<std::string>()) << "removed";
  for (int i = 0; i < 100; ++i) store.append(orders);
  store.settle();
  store.trim(orders, store.expected(orders).end);
  store.settle();
  EXPECT_EQ(verify(store).findings, std::vector<std::string>()) << "files freed";
}

TEST(VerifyShard, LooksAgainAtAQueueThatTheStoreCutMeanwhile) {
  InspectedStore store;
  store.fill(400);
  bool done = false;
  store.files().observe([&](const MemoryCall& call) {
    if (done || call.operation != Operation::kOpen || call.path != kOrdersQueue) return;
    done = true;
    ASSERT_TRUE(store.store().remove(store.named("orders")).has_value());
    store.settle();
  });
  EXPECT_EQ(verify(store).findings, std::vector<std::string>());
  store.files().observe({});
  EXPECT_TRUE(done);
}

struct Damage {
  const char* name;
  std::function<void(InspectedStore&)> make;
  const char* finding;
};

class VerifyDamage : public testing::TestWithParam<Damage> {};

TEST_P(VerifyDamage, IsFoundWithFileAndPlace) {
  InspectedStore store;
  store.fill(400);
  ASSERT_TRUE(store.store().close().has_value());
  ASSERT_EQ(verify(store).findings, std::vector<std::string>());
  GetParam().make(store);
  const InspectLines lines = verify(store);
  EXPECT_NE(line_with(lines.findings, GetParam().finding), "")
      << (lines.findings.empty() ? "nothing" : lines.findings[0]);
  EXPECT_EQ(lines.rows.size(), 1U) << "the counts come all the same";
}

INSTANTIATE_TEST_SUITE_P(
    Each, VerifyDamage,
    testing::Values(
        Damage{"identity_slot", [](auto& s) { s.damage("identity", 4096 + 20, "ff"); },
               "! identity at 4096: damaged slot of the identity (4096 bytes)"},
        Damage{"identity_gone", [](auto& s) { s.remove("identity"); }, "! identity: No such file or directory"},
        Damage{"superblock", [](auto& s) { s.damage(kSecondLogFile, 9, "ff"); },
               "! commitlog/00000000000000131072 at 0, position 131072: damaged superblock (4096 bytes)"},
        Damage{"entry_header", [](auto& s) { s.damage(kFirstLogFile, 7672 + 50, "ff"); },
               "! commitlog/00000000000000000000 at 7672, position 7672: no valid entry (656 bytes)"},
        Damage{"unit_of_a_damaged_entry", [](auto& s) { s.damage(kFirstLogFile, 7672 + 50, "ff"); },
               "! consumequeue/orders/0/00000000000000000000 at 120: orders-0, offset 6 to 7: no entry's header is "
               "valid in "
               "commitlog/00000000000000000000 at 7672"},
        Damage{"batch", [](auto& s) { s.damage(kFirstLogFile, 7672 + 400, "ff"); },
               "at 7672, position 7672: the batch's CRC does not match (656 bytes)"},
        Damage{"last_batch", [](auto& s) { s.damage("commitlog/00000000000000262144", 276080 - 262144 - 100, "ff"); },
               "position 275424: the batch's CRC does not match (656 bytes)"},
        Damage{"last_header", [](auto& s) { s.damage("commitlog/00000000000000262144", 275424 - 262144, "ff"); },
               "position 275424: no valid entry"},
        Damage{
            "log_file_in_the_middle", [](auto& s) { s.remove(kSecondLogFile); },
            "! commitlog/00000000000000131072 at 0, position 131072: the log file is missing, and nothing says that it "
            "was freed"},
        Damage{"last_log_file", [](auto& s) { s.remove("commitlog/00000000000000262144"); },
               "! checkpoint/0: position 276080 lies beyond the end of the log: not used"},
        Damage{"log_file_cut", [](auto& s) { s.cut(kFirstLogFile, 7000); },
               "! commitlog/00000000000000000000 at 6360, position 6360: the entry is cut off (656 bytes)"},
        Damage{"checkpoint", [](auto& s) { s.damage("checkpoint/1", 70, "ffff"); },
               "! checkpoint/1: the payload's CRC does not match"},
        Damage{
            "unit", [](auto& s) { s.damage(kOrdersQueue, 200, "0000000000001048"); },
            "! consumequeue/orders/0/00000000000000000000 at 200: orders-0, offset 10: no entry's header is valid in"},
        Damage{"unit_of_another_entry", [](auto& s) { s.damage(kOrdersQueue, 200, "0000000000001128"); },
               "orders-0, offset 10: another entry lies in commitlog/00000000000000000000 at 4392"},
        Damage{"unit_of_other_offsets", [](auto& s) { s.damage(kOrdersQueue, 200, "00000000000013b8"); },
               "orders-0, offset 10: the entry in commitlog/00000000000000000000 at 5048 holds offset 0 to 1"},
        Damage{"unit_with_another_size", [](auto& s) { s.damage(kOrdersQueue, 8, "00000291"); },
               "orders-0, offset 0: size 657, and the entry in commitlog/00000000000000000000 at 5048 has 656"},
        Damage{"unit_of_zeros", [](auto& s) { s.damage(kOrdersQueue, 200, std::string(40, '0')); },
               "orders-0, offset 10: the records are lost"},
        Damage{"unit_of_nonsense", [](auto& s) { s.damage(kOrdersQueue, 208, "fffffffe"); },
               "orders-0, offset 10: no unit that locates an entry"},
        Damage{"unit_beyond_the_log", [](auto& s) { s.damage(kOrdersQueue, 200, "0000000100001048"); },
               "orders-0, offset 10: commitlog/00000000004294967296 at 4168: No such file or directory"},
        Damage{"queue_cut", [](auto& s) { s.cut(kOrdersQueue, 1010); },
               "! consumequeue/orders/0/00000000000000000000 at 1000: orders-0, offset 50 to 531: the units are not "
               "there"},
        Damage{"queue_gone", [](auto& s) { s.remove(kOrdersQueue); },
               "orders-0, offset 0 to 531: the units are not there: No such"},
        Damage{"topic_id", [](auto& s) { s.damage("consumequeue/orders/topic-id", 0, "66"); },
               "! consumequeue/orders/topic-id: orders-0: not the directory of topic id AAAAAAAAAAEAAAAAAAAAAQ"},
        Damage{
            "time", [](auto& s) { s.damage("consumequeue/orders/0-00000000000000000000.times", 14, "ff"); },
            "! consumequeue/orders/0-00000000000000000000.times at 12: orders-0: the check of the time of the page at "
            "offset 200 does not match (12 bytes)"}),
    [](const auto& test) { return test.param.name; });

TEST(VerifyShard, TakesATornEndForNoDamage) {
  InspectedStore store;
  store.fill(50);
  const Appended last = store.append(store.named("orders"), 500, Durability::kWritten);
  store.write();
  store.damage(kFirstLogFile, static_cast<std::uint64_t>(last.position.value) + 300, "ff");
  const InspectLines lines = verify(store);
  EXPECT_EQ(lines.findings, std::vector<std::string>());
  EXPECT_NE(line_with(lines.notes, "the log ends at position " + std::to_string(last.position.value)) +
                line_with(lines.notes, "behind the log's end at position " + std::to_string(last.position.value)),
            "");
}

TEST(VerifyShard, ChecksUnitsThatAreOnlyInTheCheckpoint) {
  InspectedStore store;
  store.options().queue_memory_bytes = 1 << 20;
  ASSERT_TRUE(store.open());
  store.fill(100);
  ASSERT_TRUE(store.store().close().has_value());
  ASSERT_EQ(verify(store).findings, std::vector<std::string>());
  store.damage(kFirstLogFile, 5048 + 88 + 20, "ff");
  EXPECT_NE(
      line_with(verify(store).findings, "orders-0, offset 0 to 1, units not in files yet: no entry's header is valid"),
      "")
      << verify(store).findings[0];
}

TEST(VerifyShard, SaysWithoutACheckpointThatQueuesAreNotChecked) {
  InspectedStore store;
  store.fill(400);
  store.remove("checkpoint/0");
  store.remove("checkpoint/1");
  store.damage(kOrdersQueue, 200, "0000000000001048");
  const InspectLines lines = verify(store);
  EXPECT_EQ(lines.findings, std::vector<std::string>());
  EXPECT_NE(line_with(lines.notes, "they are not checked"), "");
}

TEST(VerifyShard, NamesDirectoriesOfTopicsThatAreGone) {
  InspectedStore store;
  store.fill(400);
  ASSERT_TRUE(store.files().make_directory("consumequeue/ghost").has_value());
  const InspectLines lines = verify(store);
  EXPECT_EQ(lines.findings, std::vector<std::string>());
  EXPECT_NE(line_with(lines.notes, "consumequeue/ghost belongs to no topic that exists"), "");
}

TEST(VerifyShard, TellsHowFarItIs) {
  InspectedStore store;
  store.fill(400);
  const InspectLines lines = verify(store);
  EXPECT_NE(line_with(lines.progresses, kSecondLogFile), "");
  EXPECT_NE(line_with(lines.progresses, "queue 0 of 2"), "");
}

}  // namespace
}  // namespace braid::storage
