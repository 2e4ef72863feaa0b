// Entries whose checksums are right and whose numbers can't be: a broken writer's. They say nothing, and break nothing.
#include "storage/commitlog/shard_state.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace braid::storage {
namespace {

constexpr LogGeometry kGeometry{128 * 1024};

EntryHeader entry(EntryType type, std::int64_t base, std::int32_t count = 0) {
  EntryHeader header;
  header.type = type;
  header.size_bytes = 200;
  header.position = LogPosition{kGeometry.file_bytes + 4096};
  header.topic = protocol::uuid_from_halves(1, 1);
  header.base = Offset{base};
  header.count = count;
  return header;
}

TEST(ShardState, TakesNoEntryWithAnOffsetThatCantBe) {
  for (const EntryType type : {EntryType::kBatch, EntryType::kCreated, EntryType::kStartMoved, EntryType::kTruncated,
                               EntryType::kEpochStarted}) {
    for (const std::int64_t base : {std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
      ShardState state(kGeometry);
      state.apply(entry(type, base, 1), {}, {}, {});
      EXPECT_TRUE(state.partitions().empty()) << static_cast<int>(type) << " at " << base;
    }
  }
}

TEST(ShardState, FreesNoFileThatTheEntryLiesInOrBehind) {
  for (const std::int64_t file : {std::int64_t{-1}, std::int64_t{8}, kGeometry.file_bytes, 2 * kGeometry.file_bytes}) {
    ShardState state(kGeometry);
    state.apply(entry(EntryType::kFileFreed, file), {}, {}, {});
    EXPECT_TRUE(state.freed().empty()) << file;
  }
  ShardState state(kGeometry);
  state.apply(entry(EntryType::kFileFreed, 0), {}, {}, {});
  EXPECT_EQ(state.freed().size(), 1U);
}

TEST(ShardState, TakesABatchBelowTheEndForTheProofOfACut) {
  ShardState state(kGeometry);
  state.apply(entry(EntryType::kBatch, 0, 10), {}, {}, {});
  EntryHeader later = entry(EntryType::kBatch, 4, 2);
  later.position.value += 1000;
  state.apply(later, {}, {}, {});
  EXPECT_EQ(state.partitions().begin()->second.queue.end(), Offset{6});
}

TEST(ShardState, RaisesNoEpochBeyondTheLast) {
  ShardState state(kGeometry);
  EntryHeader epoch = entry(EntryType::kEpochStarted, 0);
  epoch.epoch = LeaderEpoch{INT32_MAX};
  state.apply(epoch, {}, {}, {});
  EntryHeader incarnation = entry(EntryType::kIncarnation, 0);
  incarnation.epoch = LeaderEpoch{1};
  state.apply(incarnation, {}, {}, {});
  EXPECT_EQ(state.partitions().begin()->second.epochs.last(), LeaderEpoch{INT32_MAX});
}

TEST(PartitionRecord, IsNoneWithANameThatIsNoDirectoryOrAnEpochBelowZero) {
  for (const char* const name : {"..", ".", "a/b", "a b", "\xff"}) EXPECT_FALSE(is_topic_name(name)) << name;
  EXPECT_TRUE(is_topic_name("a.B_9-"));
  PartitionRecord record{
      .topic = {}, .queue = {}, .name = "../x", .start = {}, .end = {}, .epochs = {}, .kept_as_of = {}, .kept = {}};
  const auto is_decoded = [&] {
    protocol::Bytes bytes(encoded_size(record));
    protocol::Writer out(bytes);
    encode(record, out);
    protocol::Reader in(bytes);
    static_cast<void>(decode_partition_record(in));
    return in.ok();
  };
  EXPECT_FALSE(is_decoded());
  record.name = "x";
  EXPECT_TRUE(is_decoded());
  record.epochs = {{LeaderEpoch{-5}, Offset{0}}};
  EXPECT_FALSE(is_decoded());
}

}  // namespace
}  // namespace braid::storage
