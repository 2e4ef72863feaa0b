// Arbitrary bytes as a log: recovery comes to an end, nothing is served that is not a whole batch in its place, the
// store goes on behind it, and a second recovery finds the same.
//
// Input: a byte of flags, then what stands behind the superblock of the first file. Flag 1: headers and checksums are
// made to fit, so that the fields behind them are tried too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/crc32c.h"
#include "protocol/records/record_batch.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"
#include "storage/commitlog/commit_log_store.h"
#include "storage/commitlog/superblock.h"
#include "storage/env/memory_file_system.h"
#include "storage/small_store.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using protocol::check;

constexpr std::size_t kLogBytesMax = 24 * 1024;
constexpr std::uint32_t kEntryMagic = 0x42524531;

/// Gives every entry that says it is one its position and the checksums of what it holds.
void repair(MutableBytes log, std::uint32_t seed) {
  for (std::size_t at = 0; at + kEntryHeaderBytes <= log.size(); at += kEntryAlignmentBytes) {
    const MutableBytes entry = log.subspan(at);
    protocol::Reader in(entry);
    if (in.u32() != kEntryMagic) continue;
    in.skip(4);
    const std::int32_t size = in.i32();
    const auto type = in.u8();
    const std::size_t padding = in.u8() & 7U;
    if (size > 0 && static_cast<std::size_t>(size) >= kEntryHeaderBytes + padding &&
        static_cast<std::size_t>(size) <= entry.size()) {
      const MutableBytes payload =
          entry.subspan(kEntryHeaderBytes, static_cast<std::size_t>(size) - kEntryHeaderBytes - padding);
      std::uint32_t crc = protocol::crc32c(payload);
      if (type == static_cast<std::uint8_t>(EntryType::kBatch) && payload.size() >= protocol::kBatchHeaderBytes) {
        protocol::renew_crc(payload);
        crc = protocol::RecordBatch(payload).crc();
      }
      protocol::Writer(entry.subspan(28)).u32(crc);
    }
    protocol::Writer(entry.subspan(16)).i64(kSuperblockBytes + static_cast<std::int64_t>(at));
    protocol::Writer(entry.subspan(4)).u32(protocol::crc32c(ByteView(entry).subspan(8, kEntryHeaderBytes - 8), seed));
  }
}

using Ranges = std::map<std::pair<TopicId, QueueId>, std::pair<Offset, Offset>>;

/// Reads what a partition hands out from its start, a few batches' worth.
void read_from(CommitLogStore& store, PartitionId id, Offset from, Offset end) {
  const auto plan = store.plan_read(id, {from, end, kLogBytesMax});
  check(plan.has_value(), "a partition can be read from its start");
  const auto read = store.read(*plan);
  if (read.has_error()) return;
  std::int64_t next = -1;
  for (const ByteView bytes : read->batches) {
    const protocol::RecordBatch batch(bytes);
    check(batch.crc_matches() && batch.magic() == protocol::kBatchMagic, "only whole batches are served");
    check(
        next < 0 ? batch.base_offset() <= from.value && batch.next_offset() > from.value : batch.base_offset() == next,
        "in their places");
    next = batch.next_offset();
  }
}

Ranges read_all(CommitLogStore& store) {
  Ranges ranges;
  for (const PartitionId id : store.partitions()) {
    const PartitionView view = store.view(id);
    check(view.start <= view.end, "a partition ends where it begins, or later");
    ranges[{view.topic, view.queue}] = {view.start, view.end};
    read_from(store, id, view.start, view.end);
  }
  return ranges;
}

void append_behind(CommitLogStore& store) {
  const auto created = store.create(
      {.topic = protocol::uuid_from_halves(77, 77), .name = "behind", .queue = QueueId{0}, .start = {}, .indexing = 0});
  if (created.has_error()) return;  // it is there, or there is no room
  const Bytes batch = make_batch({});
  auto room = store.reserve(store.entry_bytes(batch.size()), Purpose::kProduce);
  if (room.has_error()) return;
  store.append(created->partition,
               {.bytes = batch, .epoch = LeaderEpoch{0}, .tag_hashes = {}, .durability = {}, .now = {}}, *room);
  check(store.write_out({}).has_value(), "nothing fails here");
  const auto read = store.read(*store.plan_read(created->partition, {Offset{0}, Offset{1}, 1}));
  check(read.has_value() && read->batches.size() == 1, "what is appended is served");
}

/// As small as they may be: what one input costs is mostly blocks that are prepared and searched for a proof.
CommitLogOptions options() {
  CommitLogOptions small = small_store_options();
  small.tags = nullptr;
  small.new_store.file_bytes = 32 * 1024;
  small.tail_bytes = 16 * 1024;
  small.bounds.bytes = 4 * 1024;
  small.slab_bytes = 4 * 1024;
  small.prepared_piece_bytes = 4 * 1024;
  small.prepared_bytes_min = small.prepared_bytes_max = 8 * 1024;
  small.essential_bytes = 4 * 1024;
  return small;
}

/// A new store, stopped. Each input gets a copy, which shares its pages.
std::unique_ptr<MemoryFileSystem> new_store() {
  static const std::unique_ptr<MemoryFileSystem> made = [] {
    auto files = std::make_unique<MemoryFileSystem>();
    check(CommitLogStore::open(*files, options(), {}).has_value(), "a new store opens");
    return files;
  }();
  return made->after_cut({CutVariant::kKeepAll, 0});
}

}  // namespace

void fuzz_commit_log(ByteView input) {
  if (input.empty() || input.size() > kLogBytesMax) return;
  const std::unique_ptr<MemoryFileSystem> disk = new_store();
  MemoryFileSystem& files = *disk;
  const CommitLogOptions small = options();

  Bytes log(input.begin() + 1, input.end());
  if ((std::to_integer<unsigned>(input[0]) & 1U) != 0) repair(log, small.new_store.seed);
  for (const char* const path : {"checkpoint/0", "checkpoint/1"})
    static_cast<void>(files.remove_file(path).has_value());
  {
    const auto file = files.open(log_file_path(LogPosition{0}), {.mode = OpenMode::kWrite});
    check((*file)->write(kSuperblockBytes, log).has_value());
  }
  Ranges first;
  {
    const auto store = CommitLogStore::open(files, small, {});
    if (store.has_error()) return;  // a newer program's
    first = read_all(**store);
    append_behind(**store);
  }
  const auto again = CommitLogStore::open(files, small, {});
  check(again.has_value(), "it opens once more");
  Ranges second = read_all(**again);
  if (!first.contains({protocol::uuid_from_halves(77, 77), QueueId{0}}))
    second.erase({protocol::uuid_from_halves(77, 77), QueueId{0}});
  check(first == second, "a second recovery finds the same");
}

}  // namespace braid::storage

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::storage::fuzz_commit_log(std::as_bytes(std::span(data, size)));
  return 0;
}
