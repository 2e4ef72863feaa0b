#include "storage/commitlog/checkpoint.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/base/crc32c.h"
#include "protocol/base/limits.h"
#include "protocol/wire/reader.h"
#include "protocol/wire/writer.h"
#include "storage/commitlog/consume_queue_format.h"

namespace braid::storage {
namespace {

using protocol::Bytes;
using protocol::Reader;
using protocol::Writer;

constexpr std::uint32_t kMagic = 0x42524350;  // "BRCP"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kCoveredFrom = 8;
constexpr std::size_t kRunBytes = 4 + 8 + 4 + 8 + 8;
constexpr std::size_t kSliceBytes = 4 + 8 + 4 + 8 + 8 + 8;

std::uint32_t header_crc(ByteView slot) {
  return protocol::crc32c(slot.subspan(kCoveredFrom, kHeaderBytes - kCoveredFrom));
}
std::uint32_t store_crc(const protocol::Uuid& store) { return protocol::crc32c(std::as_bytes(std::span(store.bytes))); }

/// A lost range may be longer than a run's count: it is cut into several.
std::int64_t count_of(Offset first, const ConsumeQueue::Found& found) {
  return std::min<std::int64_t>(found.end.value - first.value, INT32_MAX);
}

std::uint32_t encoded_runs(const ConsumeQueue& queue) {
  std::uint32_t runs = queue.run_count();
  // Hardly any queue has a range to cut: the runs of all queues need not be read for it.
  if (queue.end().value - queue.begin().value <= INT32_MAX) return runs;
  for (std::uint32_t i = 0; i < queue.run_count(); ++i) {
    const auto found = queue.run(i);
    runs += static_cast<std::uint32_t>((found.end.value - found.run.first.value - 1) / INT32_MAX);
  }
  return runs;
}

/// Units of a queue that its files don't have, run by run.
void encode_queue(const ConsumeQueue& queue, std::uint32_t runs, Writer& out) {
  out.i64(std::max(queue.written_end(), queue.begin()).value);
  out.u32(runs);
  for (std::uint32_t i = 0; i < queue.run_count(); ++i) {
    const auto found = queue.run(i);
    for (Offset at = found.run.first; at < found.end;) {
      const std::int64_t count = count_of(at, found);
      out.i32(static_cast<std::int32_t>(count));
      out.i64(found.run.position.value);
      out.i32(found.run.size_bytes);
      out.i64(found.run.tag_hash);
      out.i64(found.run.timestamp_max);
      at.value += count;
    }
  }
}

ConsumeQueue decode_queue(Offset start, Reader& in) {
  const Offset written_end{in.i64()};
  if (written_end < start || written_end.value > kQueueOffsetEnd) in.fail();
  if (!in.ok()) return ConsumeQueue();
  ConsumeQueue queue = ConsumeQueue::restored(start, written_end);
  const std::uint32_t runs = in.u32();
  if (runs > in.remaining() / kRunBytes) in.fail();
  if (in.ok()) queue.reserve_runs(std::min(runs, protocol::kQueueRunsMax));
  LogPosition before{0};
  for (std::uint32_t i = 0; in.ok() && i < runs; ++i) {
    const std::int32_t count = in.i32();
    const LogPosition position{in.i64()};
    const std::int32_t size_bytes = in.i32();
    const std::int64_t tag = in.i64();
    const std::int64_t timestamp = in.i64();
    if (count <= 0 || count > kQueueOffsetEnd - queue.end().value || position.value < 0 ||
        (position.value != 0 && (position < before || size_bytes <= 0)))
      in.fail();
    if (!in.ok()) break;
    if (position.value == 0) {
      queue.append_lost(count);
    } else {
      queue.append_run(QueuedEntry{position, size_bytes, timestamp}, tag, count);
    }
    if (position.value != 0) before = position;
  }
  return queue;
}

std::size_t size_of_removals(const ShardState& state) {
  std::size_t size = 4;
  for (const Removal& removal : state.removals()) size += 16 + 4 + 2 + removal.name.size() + 1;
  return size;
}

/// Slices by file, as they are encoded: the partition's number in this slot beside each.
using SlicesOfFiles = std::map<LogPosition, std::vector<std::pair<std::uint32_t, const Slice*>>>;

/// A partition on its way into a slot.
struct Encoding {
  PartitionRecord record;
  const ConsumeQueue* queue = nullptr;
  std::uint32_t runs = 0;
};

std::size_t encoded_size(const SlicesOfFiles& files) {
  std::size_t size = 4;
  for (const auto& [file, slices] : files) size += 8 + 4 + slices.size() * kSliceBytes;
  return size;
}

void encode_files(const SlicesOfFiles& files, Writer& out) {
  out.u32(static_cast<std::uint32_t>(files.size()));
  for (const auto& [file, slices] : files) {
    out.i64(file.value);
    out.u32(static_cast<std::uint32_t>(slices.size()));
    for (const auto& [number, slice] : slices) {
      out.u32(number);
      out.i64(slice->bytes);
      out.i32(slice->entries);
      out.i64(slice->first.value);
      out.i64(slice->last.value);
      out.i64(slice->timestamp_max);
    }
  }
}

void decode_files(const std::vector<ShardPartition*>& partitions, ShardState& state, Reader& in) {
  const std::uint32_t files = in.u32();
  for (std::uint32_t i = 0; in.ok() && i < files; ++i) {
    const LogPosition file{in.i64()};
    state.restore_file(file);
    const std::uint32_t slices = in.u32();
    for (std::uint32_t j = 0; in.ok() && j < slices; ++j) {
      const std::uint32_t number = in.u32();
      Slice slice;
      slice.file = file;
      slice.bytes = in.i64();
      slice.entries = in.i32();
      slice.first.value = in.i64();
      slice.last.value = in.i64();
      slice.timestamp_max = in.i64();
      if (number >= partitions.size()) in.fail();
      if (in.ok()) partitions[number]->slices.add(slice);
    }
  }
}

void encode_removals(const ShardState& state, Writer& out) {
  out.u32(static_cast<std::uint32_t>(state.removals().size()));
  for (const Removal& removal : state.removals()) {
    out.uuid(removal.topic);
    out.i32(removal.queue.value);
    out.u16(static_cast<std::uint16_t>(removal.name.size()));
    out.bytes(protocol::as_bytes(removal.name));
    out.boolean(removal.topic_gone);
  }
}

void decode_removals(ShardState& state, Reader& in) {
  const std::uint32_t removals = in.u32();
  for (std::uint32_t i = 0; in.ok() && i < removals; ++i) {
    Removal removal;
    removal.topic = in.uuid();
    removal.queue.value = in.i32();
    const std::uint16_t name_bytes = in.u16();
    removal.name = protocol::as_text(in.bytes(name_bytes));
    removal.topic_gone = in.boolean();
    if (in.ok()) state.removals().push_back(std::move(removal));
  }
}

/// What a slot's first bytes say of the rest.
struct ReadHead {
  ReadCheckpoint read;
  std::uint64_t payload_bytes = 0;
  std::uint32_t payload_crc = 0;
};

/// `begin`: the slot's header, or more of it; `slot_bytes`: of the whole slot.
ReadHead read_head(ByteView begin, std::uint64_t slot_bytes, const protocol::Uuid& store) {
  using enum CheckpointFault;
  ReadHead head;
  if (begin.size() < kHeaderBytes) return head;
  CheckpointHeader& header = head.read.header;
  Reader in(begin);
  const bool has_magic = in.u32() == kMagic;
  const bool has_crc = in.u32() == header_crc(begin);
  const bool is_known = in.u32() == kVersion;
  head.payload_crc = in.u32();
  header.sequence = in.u64();
  header.position.value = in.i64();
  header.append_time = in.i64();
  header.incarnation = in.u32();
  in.skip(4);
  head.payload_bytes = in.u64();
  const bool is_ours = in.u32() == store_crc(store);
  const bool is_whole = head.payload_bytes <= slot_bytes - kHeaderBytes;
  head.read.fault = !has_magic  ? kNoMagic
                    : !has_crc  ? kHeaderCrc
                    : !is_known ? kNewer
                    : !is_ours  ? kForeign
                    : !is_whole ? kCut
                                : kNone;
  return head;
}

std::string slot_path(int slot) { return "checkpoint/" + std::to_string(slot); }

}  // namespace

Bytes encode_checkpoint(const CheckpointHeader& header, const protocol::Uuid& store, const ShardState& state) {
  SlicesOfFiles files;
  for (const LogPosition file : state.files()) files.try_emplace(file);
  std::vector<Encoding> partitions;
  partitions.reserve(state.partitions().size());
  std::size_t size = 0;
  for (const auto& [id, partition] : state.partitions()) {
    for (const Slice& slice : partition.slices.all())
      files[slice.file].emplace_back(static_cast<std::uint32_t>(partitions.size()), &slice);
    const Encoding& one =
        partitions.emplace_back(Encoding{state.record(partition), &partition.queue, encoded_runs(partition.queue)});
    size += encoded_size(one.record) + 8 + 4 + one.runs * kRunBytes;
  }
  size += kHeaderBytes + 4 + encoded_size(files) + size_of_removals(state);
  Bytes slot(size);
  Writer payload(MutableBytes(slot).subspan(kHeaderBytes));
  payload.u32(static_cast<std::uint32_t>(partitions.size()));
  for (const Encoding& one : partitions) {
    encode(one.record, payload);
    encode_queue(*one.queue, one.runs, payload);
  }
  encode_files(files, payload);
  encode_removals(state, payload);
  protocol::check(payload.position() == size - kHeaderBytes, "the size was computed before");

  Writer out(slot);
  out.u32(kMagic);
  out.u32(0);
  out.u32(kVersion);
  out.u32(protocol::crc32c(ByteView(slot).subspan(kHeaderBytes)));
  out.u64(header.sequence);
  out.i64(header.position.value);
  out.i64(header.append_time);
  out.u32(header.incarnation);
  out.u32(0);
  out.u64(size - kHeaderBytes);
  out.u32(store_crc(store));
  Writer(MutableBytes(slot).subspan(4)).u32(header_crc(slot));
  return slot;
}

ReadCheckpoint read_checkpoint(ByteView slot, const protocol::Uuid& store) {
  ReadHead head = read_head(slot, slot.size(), store);
  if (head.read.fault != CheckpointFault::kNone) return head.read;
  const bool matches = protocol::crc32c(slot.subspan(kHeaderBytes, head.payload_bytes)) == head.payload_crc;
  if (!matches) head.read.fault = CheckpointFault::kPayloadCrc;
  return head.read;
}

std::optional<CheckpointHeader> read_checkpoint_header(ByteView slot, const protocol::Uuid& store) {
  const ReadCheckpoint read = read_checkpoint(slot, store);
  return read.fault == CheckpointFault::kNone ? std::optional(read.header) : std::nullopt;
}

std::optional<ShardState> decode_checkpoint(ByteView slot, const LogGeometry& geometry) {
  Reader header(slot.subspan(24));
  header.skip(8);
  const std::int64_t append_time = header.i64();
  const std::uint32_t incarnation = header.u32();
  header.skip(4);
  const std::uint64_t payload_bytes = header.u64();
  Reader in(slot.subspan(kHeaderBytes, payload_bytes));
  ShardState state(geometry);
  state.restore(incarnation, append_time);
  std::vector<ShardPartition*> restored;
  const std::uint32_t partitions = in.u32();
  for (std::uint32_t i = 0; in.ok() && i < partitions; ++i) {
    const PartitionRecord record = decode_partition_record(in);
    if (!in.ok() || state.find(record.topic, record.queue)) return std::nullopt;
    ConsumeQueue queue = decode_queue(record.start, in);
    if (!in.ok() || queue.end() != record.end) return std::nullopt;
    restored.push_back(&state.restore(record, std::move(queue)));
  }
  decode_files(restored, state, in);
  decode_removals(state, in);
  return in.ok() && in.remaining() == 0 ? std::optional(std::move(state)) : std::nullopt;
}

std::optional<ReadCheckpoint> look_at_checkpoint_slot(FileSystem& files, int slot, const protocol::Uuid& store) {
  auto file = files.open(slot_path(slot), {.mode = OpenMode::kRead});
  if (file.has_error()) return std::nullopt;
  const auto size = (*file)->size();
  if (size.has_error() || *size == 0 || *size > protocol::kCheckpointBytesMax) return std::nullopt;
  std::array<std::byte, kHeaderBytes> begin;
  const auto read = (*file)->read(0, begin);
  if (read.has_error()) return std::nullopt;
  return read_head(ByteView(begin).first(*read), *size, store).read;
}

Bytes load_checkpoint_slot(FileSystem& files, int slot) {
  auto file = files.open(slot_path(slot), {.mode = OpenMode::kRead});
  if (file.has_error()) return {};
  const auto size = (*file)->size();
  if (size.has_error() || *size > protocol::kCheckpointBytesMax) return {};
  Bytes bytes(*size);
  const auto read = (*file)->read(0, bytes);
  if (read.has_error() || *read != bytes.size()) bytes.clear();
  return bytes;
}

Result<void> store_checkpoint(FileSystem& files, int slot, ByteView bytes) {
  TRY(const std::unique_ptr<File> file, files.open(slot_path(slot), {.mode = OpenMode::kCreate}));
  TRY_DO(file->write(0, bytes));
  TRY_DO(file->truncate(bytes.size()));
  TRY_DO(file->sync());
  return files.sync_directory("checkpoint");
}

}  // namespace braid::storage
