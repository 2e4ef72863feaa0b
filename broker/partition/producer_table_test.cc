// What idempotence knows: sequences as the Kafka protocol counts them, the window of five, epochs, and the bytes kept.
#include "broker/partition/producer_table.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "broker/partition/partition_errc.h"
#include "protocol/base/hex.h"
#include "protocol/base/limits.h"
#include "storage/commitlog/document_example.h"

namespace braid::broker {
namespace {

using protocol::ProducerId;
using protocol::WallTime;
using storage::LogPosition;
using storage::Offset;

constexpr std::int32_t kSequenceMax = std::numeric_limits<std::int32_t>::max();
constexpr WallTime kNow{1'700'000'000'000};
const auto kGap = make_error_code(PartitionErrc::out_of_order_sequence);
const auto kOldEpoch = make_error_code(PartitionErrc::old_producer_epoch);

ProducerBatch batch_of(std::int64_t id, std::int32_t first, std::int32_t count, std::int16_t epoch = 0) {
  const std::int64_t last = std::int64_t{first} + count - 1;
  const std::int64_t wrapped = last > kSequenceMax ? last - kSequenceMax - 1 : last;
  return {.producer = ProducerId{id},
          .epoch = epoch,
          .first_sequence = first,
          .last_sequence = static_cast<std::int32_t>(wrapped),
          .last_offset_delta = count - 1,
          .timestamp_max = kNow.milliseconds};
}

/// A table in front of a partition that stores whatever is judged good.
struct Stored {
  ProducerTable table;
  std::int64_t end = 0;

  /// "stored at n", "again n", "gap" or "old epoch".
  std::string send(const ProducerBatch& batch, WallTime now = kNow) {
    const auto judged = table.judge(batch);
    if (judged.has_error()) return judged.error() == kGap ? "gap" : judged.error() == kOldEpoch ? "old epoch" : "?";
    if (*judged) return "again " + std::to_string((*judged)->base.value);
    table.stored(batch, Offset{end}, LogPosition{end * 100}, now);
    end += batch.last_offset_delta + 1;
    return "stored at " + std::to_string(end - batch.last_offset_delta - 1);
  }
};

TEST(ProducerTable, CountsSequencesByRecordNotByBatch) {
  Stored to;
  EXPECT_EQ(to.send(batch_of(1, 0, 3)), "stored at 0");
  EXPECT_EQ(to.send(batch_of(1, 1, 1)), "gap");
  EXPECT_EQ(to.send(batch_of(1, 3, 1)), "stored at 3");
  EXPECT_EQ(to.send(batch_of(1, 5, 1)), "gap");
  EXPECT_EQ(to.send(batch_of(1, 4, 1)), "stored at 4");
}

TEST(ProducerTable, GoesOnWithZeroAfterTheLargestSequence) {
  Stored to;
  EXPECT_EQ(to.send(batch_of(1, kSequenceMax - 1, 3)), "stored at 0");
  EXPECT_EQ(to.send(batch_of(1, 0, 1)), "gap");
  EXPECT_EQ(to.send(batch_of(1, 1, 1)), "stored at 3");
  EXPECT_EQ(to.send(batch_of(1, kSequenceMax - 1, 3)), "again 0");
  EXPECT_EQ(to.send(batch_of(2, kSequenceMax, 1)), "stored at 4");
  EXPECT_EQ(to.send(batch_of(2, 0, 1)), "stored at 5");
}

TEST(ProducerTable, TakesAnySequenceFromAProducerThatItDoesNotKnow) {
  Stored to;
  EXPECT_EQ(to.send(batch_of(1, 7, 1)), "stored at 0");
  to.table.expire({kNow.milliseconds + 1});
  EXPECT_EQ(to.send(batch_of(1, 100, 1)), "stored at 1");
}

TEST(ProducerTable, RefusesAGapAndTakesTheMissingBatchThen) {
  Stored to;
  EXPECT_EQ(to.send(batch_of(1, 0, 1)), "stored at 0");
  EXPECT_EQ(to.send(batch_of(1, 2, 1)), "gap");
  EXPECT_EQ(to.send(batch_of(1, 1, 1)), "stored at 1");
  EXPECT_EQ(to.send(batch_of(1, 2, 1)), "stored at 2");
}

TEST(ProducerTable, KnowsTheLastFiveBatchesAndRefusesOlderOnes) {
  Stored to;
  for (int i = 0; i < 7; ++i) EXPECT_EQ(to.send(batch_of(1, 2 * i, 2)), "stored at " + std::to_string(2 * i));
  for (int i = 6; i >= 2; --i) EXPECT_EQ(to.send(batch_of(1, 2 * i, 2)), "again " + std::to_string(2 * i));
  EXPECT_EQ(to.send(batch_of(1, 2, 2)), "gap");
  EXPECT_EQ(to.send(batch_of(1, 0, 2)), "gap");
  EXPECT_EQ(to.send(batch_of(1, 12, 1)), "gap") << "the same beginning, another end";
  EXPECT_EQ(to.send(batch_of(1, 14, 1)), "stored at 14");
}

TEST(ProducerTable, BeginsAnewWithAHigherEpochAndRefusesTheOldOne) {
  Stored to;
  EXPECT_EQ(to.send(batch_of(1, 0, 1, 3)), "stored at 0");
  EXPECT_EQ(to.send(batch_of(1, 1, 1, 4)), "gap") << "an epoch begins with sequence 0";
  EXPECT_EQ(to.send(batch_of(1, 0, 1, 4)), "stored at 1");
  EXPECT_EQ(to.send(batch_of(1, 0, 1, 3)), "old epoch");
  EXPECT_EQ(to.send(batch_of(1, 1, 1, 3)), "old epoch");
  EXPECT_EQ(to.send(batch_of(1, 0, 1, 4)), "again 1");
}

TEST(ProducerTable, KeepsProducersApart) {
  Stored to;
  EXPECT_EQ(to.send(batch_of(1, 0, 1)), "stored at 0");
  EXPECT_EQ(to.send(batch_of(2, 0, 1)), "stored at 1");
  EXPECT_EQ(to.send(batch_of(1, 0, 1)), "again 0");
  EXPECT_EQ(to.send(batch_of(2, 0, 1)), "again 1");
}

TEST(ProducerTable, ForgetsWhoWasSilentLongestWhenThereAreTooMany) {
  Stored to;
  const auto most = static_cast<std::int64_t>(protocol::kProducersPerPartitionMax);
  for (std::int64_t id = 0; id < most; ++id) to.send(batch_of(id, 0, 1));
  to.send(batch_of(0, 1, 1));
  to.send(batch_of(most, 0, 1));
  EXPECT_EQ(to.table.size(), protocol::kProducersPerPartitionMax);
  EXPECT_EQ(to.send(batch_of(0, 1, 1)), "again " + std::to_string(most)) << "it wrote again";
  EXPECT_EQ(to.send(batch_of(2, 0, 1)), "again 2");
  EXPECT_EQ(to.send(batch_of(1, 9, 1)), "stored at " + std::to_string(most + 2)) << "unknown by now";
}

TEST(ProducerTable, ExpiresWhoWasSilentSinceATime) {
  Stored to;
  to.send(batch_of(1, 0, 1), {1000});
  to.send(batch_of(2, 0, 1), {2000});
  to.send(batch_of(1, 1, 1), {3000});
  to.table.expire({2000});
  EXPECT_EQ(to.table.size(), 2U);
  to.table.expire({2001});
  ASSERT_EQ(to.table.size(), 1U);
  EXPECT_EQ(to.table.list().front().producer, ProducerId{1});
}

TEST(ProducerTable, ForgetsBatchesThatWereCutAway) {
  Stored to;
  to.send(batch_of(1, 0, 2));
  to.send(batch_of(1, 2, 2));
  to.send(batch_of(2, 0, 1));
  to.table.cut(Offset{2});
  EXPECT_EQ(to.table.size(), 1U);
  to.end = 2;
  EXPECT_EQ(to.send(batch_of(1, 2, 2)), "stored at 2");
  EXPECT_EQ(to.send(batch_of(1, 0, 2)), "again 0");
}

TEST(ProducerTable, ListsProducersByRisingId) {
  Stored to;
  to.send(batch_of(9, 0, 1, 2));
  to.send(batch_of(5, 3, 4));
  const auto listed = to.table.list();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].producer, ProducerId{5});
  EXPECT_EQ(listed[0].last_sequence, 6);
  EXPECT_EQ(listed[0].last_timestamp, kNow.milliseconds);
  EXPECT_EQ(listed[1].producer, ProducerId{9});
  EXPECT_EQ(listed[1].epoch, 2);
}

TEST(ProducerTable, KnowsTheSameAfterItsBytes) {
  Stored to;
  for (int i = 0; i < 7; ++i) to.send(batch_of(1, i, 1), {1000});
  to.send(batch_of(2, kSequenceMax, 5, 7), {2000});
  Stored again;
  ASSERT_TRUE(again.table.decode(to.table.encode()));
  again.end = to.end;
  EXPECT_EQ(again.table.encode(), to.table.encode());
  for (int i = 2; i < 7; ++i) EXPECT_EQ(again.send(batch_of(1, i, 1)), "again " + std::to_string(i));
  EXPECT_EQ(again.send(batch_of(1, 1, 1)), "gap");
  EXPECT_EQ(again.send(batch_of(2, kSequenceMax, 5, 7)), "again 7");
  EXPECT_EQ(again.send(batch_of(2, 4, 1, 7)), "stored at 12");
  again.table.expire({1500});
  EXPECT_EQ(again.table.size(), 1U) << "when they wrote is kept, too";
}

TEST(ProducerTable, MatchesTheDocument) {
  ProducerTable table;
  table.stored({ProducerId{4001}, 1, 0, 2, 2, kNow.milliseconds - 1}, Offset{100}, LogPosition{1}, kNow);
  table.stored({ProducerId{4000}, 0, kSequenceMax - 2, kSequenceMax - 2, 0, kNow.milliseconds}, Offset{103},
               LogPosition{2}, kNow);
  table.stored({ProducerId{4000}, 0, kSequenceMax - 1, 0, 2, kNow.milliseconds + 1}, Offset{104}, LogPosition{3},
               {kNow.milliseconds + 1});
  protocol::Bytes documented;
  for (const auto& line : storage::hex_examples("docs/formats/producer_state.md", "hex two producers"))
    documented.insert(documented.end(), line.bytes.begin(), line.bytes.end());
  EXPECT_EQ(protocol::to_hex(table.encode()), protocol::to_hex(documented));
  ProducerTable read;
  EXPECT_TRUE(read.decode(documented));
  EXPECT_EQ(read.encode(), documented);
}

TEST(ProducerTable, TakesNothingFromBytesThatAreNotItsOwn) {
  Stored to;
  for (int i = 0; i < 3; ++i) to.send(batch_of(i, 0, 1));
  const protocol::Bytes good = to.table.encode();
  ProducerTable table;
  for (std::size_t size = 1; size < good.size(); ++size) {
    EXPECT_FALSE(table.decode(protocol::ByteView(good).first(size))) << size;
    EXPECT_EQ(table.size(), 0U);
  }
  const auto changed = [&](std::size_t at, std::uint8_t to_value) {
    protocol::Bytes bytes = good;
    bytes[at] = std::byte{to_value};
    return bytes;
  };
  EXPECT_FALSE(table.decode(changed(0, 2))) << "another format";
  EXPECT_FALSE(table.decode(changed(1, 0xFF))) << "more producers than bytes";
  EXPECT_FALSE(table.decode(changed(4, 2))) << "bytes behind the last";
  EXPECT_FALSE(table.decode(changed(5 + 18, 6))) << "six batches";
  EXPECT_TRUE(table.decode(good));
  EXPECT_TRUE(table.decode({})) << "no producer";
  EXPECT_EQ(table.size(), 0U);
}

}  // namespace
}  // namespace braid::broker
