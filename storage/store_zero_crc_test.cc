// A checksum may be any number, also 0: nothing of a log ends where one is.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "protocol/base/crc32c.h"
#include "protocol/records/record_batch.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"
#include "storage/commitlog/control_entry.h"
#include "storage/test_store.h"

namespace braid::storage {
namespace {

using Crc = std::function<std::uint32_t(std::uint32_t)>;

/// The number for which `crc`, that of some bytes with the number in them, is 0. A CRC is linear, and four bytes reach
/// every value: 32 equations over bits.
std::uint32_t zero_of(const Crc& crc) {
  const std::uint32_t constant = crc(0);
  std::array<std::uint32_t, 32> reached{};  // by leading bit: a CRC difference
  std::array<std::uint32_t, 32> by{};       // and the number that makes it
  for (unsigned bit = 0; bit < 32; ++bit) {
    std::uint32_t number = 1U << bit;
    std::uint32_t difference = crc(number) ^ constant;
    for (unsigned lead = 32; lead-- > 0 && difference != 0;) {
      if ((difference >> lead & 1U) == 0) continue;
      if (reached[lead] == 0) {
        reached[lead] = difference;
        by[lead] = number;
        break;
      }
      difference ^= reached[lead];
      number ^= by[lead];
    }
  }
  std::uint32_t found = 0;
  std::uint32_t left = constant;
  for (unsigned lead = 32; lead-- > 0;) {
    if ((left >> lead & 1U) == 0) continue;
    left ^= reached[lead];
    found ^= by[lead];
  }
  return found;
}

EntryHeaderBytes header_at(TestStore& store, LogPosition position) {
  EntryHeaderBytes bytes;
  const auto file = store.files().open(log_file_path(LogPosition{0}), {});
  EXPECT_EQ(*(*file)->read(static_cast<std::uint64_t>(position.value), bytes), bytes.size());
  return bytes;
}

std::uint32_t u32_at(ByteView bytes, std::size_t at) { return protocol::Reader(bytes.subspan(at)).u32(); }

constexpr std::size_t kHeaderCrcAt = 4;
constexpr std::size_t kPayloadCrcAt = 28;
constexpr std::size_t kAppendTimeAt = 80;

void expect_all_found(TestStore& store) {
  for (const bool from_log_only : {false, true}) {
    store.options().from_log_only = from_log_only;
    ASSERT_TRUE(store.reopen_after({CutVariant::kKeepAll, 0}));
    EXPECT_EQ(store.report().findings_count, 0);
    EXPECT_FALSE(store.report().was_cut);
    EXPECT_EQ(store.difference_to_model(), "");
  }
}

TEST(StoreZeroCrc, ABatchWhoseCrcIsZeroDoesNotEndTheLog) {
  Bytes batch = make_batch({.count = 2, .body_bytes = 300});
  const auto crc_with = [&](std::uint32_t number) {
    protocol::Writer(protocol::MutableBytes(batch).subspan(protocol::kBatchHeaderBytes)).u32(number);
    protocol::renew_crc(batch);
    return protocol::RecordBatch(batch).crc();
  };
  ASSERT_EQ(crc_with(zero_of(crc_with)), 0U);
  TestStore store;
  const PartitionId id = store.create("a");
  store.append(id);
  const Appended zero = store.append_batch(id, batch, Durability::kSynced);
  store.append(id);
  store.settle();
  EXPECT_EQ(u32_at(header_at(store, zero.position), kPayloadCrcAt), 0U);
  expect_all_found(store);
}

/// Batches in a store that is always the same but for the append time of the second.
struct TimedStore {
  explicit TimedStore(std::uint32_t low_time) {
    const PartitionId id = store.create("a");
    store.append(id);
    const std::int64_t time = (std::int64_t{1} << 32) | low_time;
    second = store.append_batch(id, make_batch({.count = 2, .body_bytes = 100}), Durability::kSynced, {time}).position;
    store.settle();
    store.append(id);
    store.settle();
  }
  TestStore store;
  LogPosition second;
};

TEST(StoreZeroCrc, AnEntryWhoseHeadersCrcIsZeroDoesNotEndTheLog) {
  EntryHeaderBytes header;
  {
    TimedStore first(0);
    header = header_at(first.store, first.second);
  }
  const auto crc_with = [&](std::uint32_t number) {
    protocol::Writer(protocol::MutableBytes(header).subspan(kAppendTimeAt + 4)).u32(number);
    return protocol::crc32c(ByteView(header).subspan(8), small_store_options().new_store.seed);
  };
  TimedStore zero(zero_of(crc_with));
  EXPECT_EQ(u32_at(header_at(zero.store, zero.second), kHeaderCrcAt), 0U);
  expect_all_found(zero.store);
}

TEST(StoreZeroCrc, AControlEntryWhosePayloadsCrcIsZeroDoesNotEndTheLog) {
  const auto crc_with = [](std::uint32_t indexing) { return protocol::crc32c(encode_created(indexing, "zero")); };
  TestStore store;
  const PartitionSpec spec{.topic = protocol::uuid_from_halves(50, 1),
                           .name = "zero",
                           .queue = QueueId{0},
                           .start = {},
                           .indexing = zero_of(crc_with)};
  const LogPosition position = store.store().progress().written;
  const auto created = store.store().create(spec);
  ASSERT_TRUE(created.has_value());
  store.model().create(spec);
  store.append(created->partition);
  store.settle();
  EXPECT_EQ(u32_at(header_at(store, position), kPayloadCrcAt), 0U);
  expect_all_found(store);
}

}  // namespace
}  // namespace braid::storage
