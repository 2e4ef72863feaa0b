// Checkpoints: the example of docs/formats/checkpoint.md, all of a state there and back, and damage.
#include "storage/commitlog/checkpoint.h"

#include <gtest/gtest.h>

#include <string>

#include "protocol/base/hex.h"
#include "storage/commitlog/document_example.h"
#include "storage/env/memory_file_system.h"

namespace braid::storage {
namespace {

using protocol::Bytes;

constexpr LogGeometry kGeometry{65536};
const protocol::Uuid kStore = protocol::uuid_from_halves(1, 2);

ShardState some_state() {
  ShardState state(kGeometry);
  EntryHeader created;
  created.type = EntryType::kCreated;
  created.position = LogPosition{4096};
  created.size_bytes = 104;
  created.topic = protocol::uuid_from_halves(5, 5);
  created.base = Offset{10};
  state.apply(created, encode_created(3, "orders"), {}, {});
  EntryHeader batch = created;
  batch.type = EntryType::kBatch;
  batch.position = LogPosition{4200};
  batch.size_bytes = 200;
  batch.count = 3;
  batch.epoch = LeaderEpoch{2};
  batch.timestamp_max = 77;
  const std::vector<std::int64_t> tags{0, 2112, 2112};
  state.apply(batch, {}, tags, {});
  EntryHeader removed = created;
  removed.type = EntryType::kRemoved;
  removed.queue = QueueId{1};
  EntryHeader second = created;
  second.queue = QueueId{1};
  state.apply(second, encode_created(3, "orders"), {}, {});
  state.apply(removed, {}, {}, {});
  return state;
}

TEST(Checkpoint, MatchesTheDocument) {
  const Bytes slot = encode_checkpoint({1, LogPosition{4184}, 0, 1}, kStore, ShardState(kGeometry));
  std::string digits;
  for (const std::string& line : example_lines("docs/formats/checkpoint.md", "hex empty"))
    digits += line.substr(0, line.find('#'));
  const auto documented = protocol::from_hex(digits);
  ASSERT_TRUE(documented.has_value());
  EXPECT_EQ(protocol::to_hex(slot), protocol::to_hex(*documented));
}

TEST(Checkpoint, HoldsAllOfAState) {
  const ShardState state = some_state();
  const Bytes slot = encode_checkpoint({9, LogPosition{4400}, 5, 6}, kStore, state);
  EXPECT_EQ(read_checkpoint_header(slot, kStore), (CheckpointHeader{9, LogPosition{4400}, 5, 6}));
  const auto again = decode_checkpoint(slot, kGeometry);
  ASSERT_TRUE(again);
  EXPECT_EQ(encode_checkpoint({9, LogPosition{4400}, 5, 6}, kStore, *again), slot);
  const auto id = again->find(protocol::uuid_from_halves(5, 5), QueueId{0});
  ASSERT_TRUE(id);
  EXPECT_EQ(again->partition(*id)->queue.find(Offset{11})->run.tag_hash, 2112);
  EXPECT_EQ(again->partition(*id)->slices.living(Offset{10}).size(), 1U);
  ASSERT_EQ(again->removals().size(), 1U);
}

TEST(Checkpoint, IsNotTakenWhenAnyBitOfItIsFlippedOrItsEndIsMissing) {
  const Bytes slot = encode_checkpoint({9, LogPosition{4400}, 5, 6}, kStore, some_state());
  for (std::size_t bit = 0; bit < slot.size() * 8; ++bit) {
    Bytes damaged = slot;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(read_checkpoint_header(damaged, kStore)) << bit;
  }
  for (std::size_t size = 0; size < slot.size(); ++size)
    EXPECT_FALSE(read_checkpoint_header(ByteView(slot).first(size), kStore));
  EXPECT_FALSE(read_checkpoint_header(slot, protocol::uuid_from_halves(3, 3)));
}

TEST(Checkpoint, ThatIsCutShortLeavesTheOtherSlot) {
  MemoryFileSystem files;
  ASSERT_TRUE(files.make_directory("checkpoint").has_value());
  const Bytes slot = encode_checkpoint({9, LogPosition{4400}, 5, 6}, kStore, some_state());
  ASSERT_TRUE(store_checkpoint(files, 0, slot).has_value());
  files.plan({.operation = Operation::kWrite});
  EXPECT_FALSE(store_checkpoint(files, 1, slot).has_value());
  EXPECT_EQ(load_checkpoint_slot(files, 0), slot);
  EXPECT_TRUE(load_checkpoint_slot(files, 1) != slot);
}

}  // namespace
}  // namespace braid::storage
